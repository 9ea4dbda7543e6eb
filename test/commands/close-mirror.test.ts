import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import * as ledgerExport from '../../src/export/ledger-export.ts';
import type { LegWindow } from '../../src/mirror/manifest.ts';
import { addMark } from '../../src/mirror/marks.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { temporary } from '../e2e/harness.ts';
import { editState, stateIn } from '../mirror/state.ts';
import { endHere, runHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 500 });
afterAll(() => sandbox.close());
afterEach(() => {
  vi.restoreAllMocks();
});
const directory = temporary();
const at = (...names: string[]) => join(directory, ...names);
const text = (...names: string[]) => readFileSync(at(...names), 'utf8');
const json = (...names: string[]) => JSON.parse(text(...names));
const PERIOD = ['--period', '2025-Q3', '--tz', 'Europe/Berlin'];
const MIRROR = ['--mirror', at('books')];
/** Sets no address and no credentials, so that a command fails if it sends a request. */
const OFFLINE = {};

const close = (args: readonly string[], env: NodeJS.ProcessEnv = OFFLINE) => endHere(['close', ...args], env);

beforeAll(async () => {
  await runHere(['mirror', at('books')], sandbox.env);
  const live = await close([...PERIOD, '--out', at('live')], sandbox.env);
  expect(live.error).toBeUndefined();
  const { error } = await close([...PERIOD, ...MIRROR, '--out', at('filed')]);
  expect(error).toBeUndefined();
});

/** A copy of the mirror that a test may change. */
function copyOf(name: string): string {
  cpSync(at('books'), at(name), { recursive: true });
  return at(name);
}

describe('close --mirror', () => {
  test('README.txt and close.json list the additions and deletions that the mirror may miss', async () => {
    const folder = copyOf('counted');
    editState(folder, ({ ledgers }) => {
      for (const window of ledgers.windows) {
        window.idsVerifiedAt = '2025-11-03T08:00:00.000Z';
      }
    });
    const { error } = await close([...PERIOD, '--mirror', folder, '--out', at('from-counted')]);
    expect(error).toBeUndefined();
    const readme = text('from-counted', 'README.txt');
    expect(readme).toContain('no leg up to 2025-11-03 09:00:00 (Europe/Berlin) is missing');
    const limit =
      /Additions and deletions: the mirror may miss legs that were added or deleted after 2025-11-03.+ Later, only the number of legs was verified\./;
    expect(readme).toMatch(/Additions and deletions: the mirror may miss/);
    expect(json('from-counted', 'close.json').limits[0]).toMatch(limit);
    expect(json('from-counted', 'ledgers.csv.manifest.json').statement).toContain(
      'The mirror contains the legs as of 2025-11-03T08:00:00.000Z; the number of legs was verified at 2',
    );
  });

  test('"close --mirror" writes the same ledgers, sums and balances as "close" without --mirror', async () => {
    for (const name of ['ledgers.csv', 'rollforward.csv', 'balances.csv', 'disposals.csv']) {
      expect(text('filed', name), name).toBe(text('live', name));
      expect(text('filed', name).split('\n').length, name).toBeGreaterThan(5);
    }
    expect(json('filed', 'ledgers.csv.manifest.json').file).toEqual(
      json('live', 'ledgers.csv.manifest.json').file,
    );
    const files = json('filed', 'close.json').files.map(({ name }: { name: string }) => name);
    expect(files).toEqual(json('live', 'close.json').files.map(({ name }: { name: string }) => name));
  });

  test('the manifest contains the times at which the legs of the mirror were read and verified', () => {
    const { ledgers } = stateIn(at('books'));
    const manifest = json('filed', 'ledgers.csv.manifest.json');
    const window = ledgers.windows[0] as LegWindow;
    expect(manifest).toMatchObject({
      verified: true,
      rows: json('filed', 'close.json').legs,
      mirror: {
        ...{ folder: at('books'), readAt: ledgers.readAt },
        countsVerifiedAt: window.countsVerifiedAt,
        contentsVerifiedAt: window.contentsVerifiedAt,
      },
      guarantee: { holds: expect.stringContaining('mirror.contentsVerifiedAt') },
    });
    for (const name of ['t0', 't1', 'frozenRange', 'requests']) expect(manifest).not.toHaveProperty(name);
    expect(manifest.statement).toBe(
      `The mirror contains the legs as of ${ledgers.readAt}; the number of legs was verified at ${window.countsVerifiedAt}, and every field was read at ${window.contentsVerifiedAt} or later`,
    );
    expect(json('filed', 'close.json')).toMatchObject({
      ...{ verified: true, statement: manifest.statement, mirror: manifest.mirror },
      limits: [expect.stringMatching(/^Edits: /)],
    });
  });

  test.each([
    ['no list of accounts', undefined, 'the mirror has no list of integrations'],
    ['an unverified list of accounts', { verified: false, why: 'rows were added' }, 'rows were added'],
  ])(
    'if the mirror has %s, the column wallet is empty, and the manifest contains the reason',
    async (name, list, why) => {
      const folder = copyOf(name);
      editState(folder, ({ snapshots = {} }) => {
        if (list) Object.assign(snapshots['integrations'] as object, list);
        else delete snapshots['integrations'];
      });
      const { error } = await close([...PERIOD, '--mirror', folder, '--out', at(`from ${name}`)]);
      expect(error).toBeUndefined();
      expect(json(`from ${name}`, 'ledgers.csv.manifest.json').accountNames).toEqual({
        names: {},
        missing: expect.stringContaining(why),
      });
    },
  );

  test('README.txt says that the legs are from a mirror, and lists the limits of a mirror', () => {
    const readme = text('filed', 'README.txt');
    expect(readme).toContain(`Mirror     ${at('books')}, as of `);
    expect(readme).toMatch(
      /According to the service's totals, no leg up to 2.+ \(Europe\/Berlin\) is missing: at 2.+, the number of legs matched the totals\./,
    );
    expect(readme).toContain('No request was sent to the service for this pack');
    expect(readme).toMatch(/Every field was read at 2\d.+ or later\./);
    expect(readme).toMatch(/^- [^:]*stale-source[^:]*: This check needs the service\./mu);
    expect(readme).toContain(
      '- Edits: an edit does not change the totals, so the mirror may miss edits made after 2',
    );
    expect(readme).not.toContain('- Spam:');
    expect(readme).not.toContain('before and after the read');
    expect(text('live', 'README.txt')).not.toContain('irror');
    expect(text('filed', 'report.html')).toContain('The mirror contains the legs as of');
  });

  test('README.txt shows when a stale mirror was read and verified', async () => {
    const old = copyOf('stale');
    editState(old, ({ ledgers }) => {
      ledgers.readAt = '2025-11-03T08:00:00.000Z';
      for (const window of ledgers.windows) {
        window.countsVerifiedAt = '2025-11-03T08:00:01.000Z';
        window.idsVerifiedAt = '2025-11-03T08:00:00.000Z';
        window.contentsVerifiedAt = '2025-10-02T08:00:00.000Z';
      }
    });
    const { error } = await close([...PERIOD, '--mirror', old, '--out', at('from-stale')]);
    expect(error).toBeUndefined();
    const readme = text('from-stale', 'README.txt');
    expect(readme).toContain(
      "According to the service's totals, no leg up to 2025-11-03 09:00:00 (Europe/Berlin) is missing: at 2025-11-03 09:00:01 (Europe/Berlin), the number of legs matched the totals.",
    );
    expect(readme).toContain('Every field was read at 2025-10-02 10:00:00 (Europe/Berlin) or later.');
    expect(readme).toContain('may miss edits made after 2025-10-02 10:00:00 (Europe/Berlin).');
  });

  test('"close --mirror" writes an unverified pack if windows of the mirror must be read again', async () => {
    const due = copyOf('due');
    await addMark(due, { why: 'costbasis.completed', at: '2026-01-01T00:00:00Z', walletId: null });
    const { error } = await close([...PERIOD, '--mirror', due, '--out', at('from-due')]);
    expect(error).toMatchObject({
      kind: 'unverified',
      message: expect.stringContaining('windows of the mirror must be read again (costbasis.completed)'),
      hint: expect.stringContaining(`cryptodata mirror ${due}`),
    });
    const balances = await endHere(['balances', '--mirror', due], OFFLINE);
    expect(balances.error).toMatchObject({
      kind: 'unverified',
      hint: `Update the mirror: cryptodata mirror ${due}`,
    });
    expect(text('from-due', 'README.txt')).toMatch(
      /NOT VERIFIED: windows of the mirror .+\n.+Update the mirror/,
    );
    expect(json('from-due', 'ledgers.csv.manifest.json')).toMatchObject({ verified: false, guarantee: null });
    expect(json('from-due', 'close.json')).toMatchObject({ verified: false });
  });

  test('"close --mirror" uses one snapshot while windows become stale', async () => {
    const marked = copyOf('marked');
    const { exportToFile } = ledgerExport;
    vi.spyOn(ledgerExport, 'exportToFile').mockImplementation(async (...args) => {
      const exported = await exportToFile(...args);
      await addMark(marked, { why: 'costbasis.completed', at: '2026-01-01T00:00:00Z', walletId: null });
      return exported;
    });
    const { error } = await close([...PERIOD, '--mirror', marked, '--out', at('from-marked')]);
    expect(ledgerExport.exportToFile).toHaveBeenCalledOnce();
    const { verified } = json('from-marked', 'close.json');
    expect(json('from-marked', 'ledgers.csv.manifest.json')).toMatchObject({ verified });
    expect(verified).toBe(true);
    expect(error).toBeUndefined();
  });

  test('"close --mirror" ignores stale windows of an account that has no legs in the mirror', async () => {
    const other = copyOf('other-account');
    await addMark(other, { why: 'integration.updated', at: '2026-01-01T00:00:00Z', walletId: 'nobody' });
    const { error } = await close([...PERIOD, '--mirror', other, '--out', at('from-other-account')]);
    expect(error).toBeUndefined();
  });

  test('the command that "close --mirror" suggests compares the pack with the mirror', async () => {
    const { stderr } = await close([...PERIOD, ...MIRROR, '--out', at('suggested')]);
    const again = `cryptodata close verify ${at('suggested')} ${MIRROR.join(' ')} --tz Europe/Berlin`;
    expect(stderr).toContain(`To check the pack later: ${again}\n`);
  });

  test('"close --mirror" writes an unverified pack if the mirror was never verified', async () => {
    const never = copyOf('never');
    editState(never, ({ ledgers }) => {
      Object.assign(ledgers, { verified: false, why: 'the total moved' });
    });
    const { error } = await close([...PERIOD, '--mirror', never, '--out', at('from-never')]);
    expect(error).toMatchObject({ kind: 'unverified', message: expect.stringContaining('the total moved') });
    expect(text('from-never', 'README.txt')).toContain('NOT VERIFIED: the total moved');
  });

  test('README.txt reports that the last update was unverified, and shows account ids if the names are missing', async () => {
    const failed = copyOf('failed');
    editState(failed, ({ lastRun = {}, snapshots = {} }) => {
      Object.assign(lastRun, { verified: false, why: 'the total moved' });
      delete snapshots['integrations'];
    });
    const { error, stderr } = await close([...PERIOD, '--mirror', failed, '--out', at('from-failed')]);
    expect(error).toBeUndefined();
    expect(stderr).toMatch(
      /Last update: the update that ended at .+ was not verified. Reason: the total moved/,
    );
    expect(stderr).toContain('Edits: an edit does not change the totals');
    const readme = text('from-failed', 'README.txt');
    expect(readme).toMatch(
      /- Last update: the update that ended at .+ was not verified. Reason: the total moved\n/,
    );
    expect(readme).toContain('accounts are shown by id');
  });

  test.each([
    ['that has ended', PERIOD, '2025-09-30T20:00:00.000Z', /cryptodata mirror .+early/],
    ['that has not ended', ['--from', '2025-07-01', '--to', '2999-12-31'], undefined, /has not ended/],
  ])('"close --mirror" rejects a mirror that is too old for a period %s', async (_, period, readAt, hint) => {
    const early = copyOf('early');
    if (readAt) editState(early, ({ ledgers }) => Object.assign(ledgers, { readAt }));
    const { error } = await close([...period, '--mirror', early, '--out', at('from-early')]);
    expect(error).toMatchObject({ kind: 'usage', code: 'MIRROR_TOO_OLD', hint: expect.stringMatching(hint) });
    expect(existsSync(at('from-early'))).toBe(false);
  });

  test('"close --mirror" rejects a mirror of a workspace or service that the login does not use', async () => {
    const foreign = copyOf('foreign');
    editState(foreign, (manifest) => Object.assign(manifest, { workspace: 'ws_other' }));
    const before = sandbox.truth.requests().length;
    const { error } = await close([...PERIOD, '--mirror', foreign, '--out', at('from-foreign')], sandbox.env);
    expect(error).toMatchObject({ kind: 'usage', code: 'OTHER_BOOKS', message: /ws_other/ });
    const elsewhere = { ...sandbox.env, CRYPTODATA_BASE_URL: 'http://127.0.0.1:1' };
    const other = await close([...PERIOD, ...MIRROR, '--out', at('from-foreign')], elsewhere);
    expect(other.error).toMatchObject({ code: 'OTHER_BOOKS' });
    expect(existsSync(at('from-foreign'))).toBe(false);
    const same = await close([...PERIOD, ...MIRROR, '--out', at('from-same')], sandbox.env);
    expect(same.error).toBeUndefined();
    expect(sandbox.truth.requests()).toHaveLength(before);
  });

  test('"close --mirror" rejects a mirror with a damaged file, and creates no pack', async () => {
    const damaged = copyOf('damaged');
    const [window] = stateIn(damaged).ledgers.windows;
    writeFileSync(join(damaged, window?.part?.file ?? ''), 'x');
    const { error } = await close([...PERIOD, '--mirror', damaged, '--out', at('from-damaged')]);
    expect(error).toMatchObject({ code: 'DAMAGED_MIRROR' });
    expect(existsSync(at('from-damaged'))).toBe(false);
  });
});

describe('a pack from a mirror', () => {
  const verify = (name: string, env: NodeJS.ProcessEnv, ...args: string[]) =>
    close(['verify', at(name), '--json', ...args], env);

  test('a pack from a mirror can be verified against the service', async () => {
    const { stdout, stderr, error } = await verify('filed', sandbox.env);
    expect(error).toBeUndefined();
    expect(JSON.parse(stdout)).toMatchObject({ verified: true, legsChanged: 0, totalsChanged: 0 });
    expect(stderr).toContain('The pack was written from a mirror. The mirror contains the legs as of ');
    const file = at('filed', 'ledgers.csv');
    const diff = JSON.parse((await runHere(['ledgers', 'diff', file, 'live', '--json'], sandbox.env)).stdout);
    expect(diff).toMatchObject({ verified: true, added: 0, removed: 0, changed: 0 });
    const deep = await runHere(['ledgers', 'verify', file, '--deep', '--json'], sandbox.env);
    expect(JSON.parse(deep.stdout)).toMatchObject({ verified: true, compared: 'contents' });
  });

  test('for a pack from a mirror, "ledgers verify" reports that the total was not compared', async () => {
    const { stdout, stderr } = await runHere(['ledgers', 'verify', at('filed', 'ledgers.csv')], sandbox.env);
    expect(stdout).toMatch(/compared +file\n/);
    expect(stderr).toContain('The total was not compared: the legs are from a mirror');
  });

  test('"close verify --mirror" compares a pack with a mirror, and sends no request', async () => {
    const { stdout, stderr, error } = await verify('filed', OFFLINE, ...MIRROR);
    expect(stderr.match(/Period: /g)).toHaveLength(1);
    expect(stderr.match(/(?<!mirror\. )The mirror contains the legs as of/g)).toHaveLength(1);
    expect(error).toBeUndefined();
    expect(JSON.parse(stdout)).toMatchObject({ verified: true, legsChanged: 0, totalsChanged: 0 });
    expect(stderr).toMatch(/All \d+ legs of the period, the roll-forward and the balances match the mirror/);
    expect(stderr).not.toContain('today');
  });

  test('"close verify" reports a deleted leg in the same way from a newer mirror as from the service', async () => {
    const legs = await runHere(['ledgers', 'list', ...PERIOD, '--limit', '1', '--json'], sandbox.env);
    const [{ id }] = JSON.parse(legs.stdout);
    sandbox.ledgers.remove(id);
    try {
      const later = copyOf('later');
      await runHere(['mirror', later], sandbox.env);
      const mirrored = await verify('filed', OFFLINE, '--mirror', later);
      const live = await verify('filed', sandbox.env);
      expect(mirrored.error).toMatchObject({ code: 'LEDGERS_CHANGED' });
      const { changes } = JSON.parse(mirrored.stdout);
      expect(changes).toEqual(JSON.parse(live.stdout).changes);
      expect(changes).toContainEqual(expect.objectContaining({ what: 'leg', change: 'removed', id }));
      const older = await close([...PERIOD, '--mirror', later, '--out', at('newer')]);
      expect(older.error).toBeUndefined();
      expect((await verify('newer', OFFLINE, ...MIRROR)).error).toMatchObject({ code: 'MIRROR_TOO_OLD' });
    } finally {
      await sandbox.reset();
    }
  });

  test('if a mirror missed an edit, "close verify" reports an unverified result instead of changed books', async () => {
    const folder = copyOf('missed');
    const legs = await runHere(['ledgers', 'list', ...PERIOD, '--limit', '1', '--json'], sandbox.env);
    const [{ id, timestamp, walletId, type, quantity, asset }] = JSON.parse(legs.stdout);
    // Edit a leg. The next run of the mirror does not find the edit, because the number of legs is unchanged and no leg is
    // new.
    const same = { id, timestamp, walletId, type, quantity, asset: asset.symbol, createdAt: 1 };
    const edited = { ...same, description: 'edited' };
    sandbox.ledgers.remove(id);
    sandbox.ledgers.insert(edited);
    try {
      expect((await close([...PERIOD, '--out', at('edited')], sandbox.env)).error).toBeUndefined();
      await runHere(['mirror', folder], sandbox.env);
      const doubt = {
        kind: 'unverified',
        code: 'UNVERIFIED',
        message: expect.stringContaining('a later edit that the mirror does not contain'),
      };
      const pack = await verify('edited', OFFLINE, '--mirror', folder);
      expect(pack.error).toMatchObject(doubt);
      expect(pack.stderr).not.toContain('The books have changed');
      const file = at('edited', 'ledgers.csv');
      const diff = await endHere(['ledgers', 'diff', file, 'live', '--mirror', folder, '--json'], OFFLINE);
      expect(diff.error).toMatchObject(doubt);
      expect(JSON.parse(diff.stdout)).toMatchObject({ verified: false, changed: 1 });
      await runHere(['mirror', folder, '--full'], sandbox.env);
      expect((await verify('edited', OFFLINE, '--mirror', folder)).error).toBeUndefined();
    } finally {
      await sandbox.reset();
    }
  });

  test('"close verify" cannot compare a pack with a mirror if windows of the mirror must be read again', async () => {
    const { error } = await verify('filed', OFFLINE, '--mirror', at('due'));
    expect(error).toMatchObject({
      kind: 'unverified',
      message: expect.stringContaining('windows of the mirror must be read again'),
    });
  });

  test('"close verify" rejects --offline and --mirror together', async () => {
    expect((await verify('filed', OFFLINE, '--offline', ...MIRROR)).error).toMatchObject({ kind: 'usage' });
  });
});
