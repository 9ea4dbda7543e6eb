import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import { temporary } from '../e2e/harness.ts';
import { editState, stateIn } from '../mirror/state.ts';
import { endHere, runHere } from './in-process.ts';

type Values = Readonly<Record<string, unknown>>;

const sandbox = await createSandbox({ rows: 400 });
afterAll(() => sandbox.close());
const directory = temporary();
const books = join(directory, 'books');
const filed = join(directory, 'filed.jsonl');
const MIRROR = ['--mirror', books];
/** Sets no address and no credentials, so that a command fails if it sends a request. */
const OFFLINE = {};

const run = (...args: string[]) => runHere(args, sandbox.env);
const offline = (...args: string[]) => endHere(args, OFFLINE);

beforeAll(async () => {
  await run('mirror', books);
  await run('ledgers', 'export', '--out', filed);
});

describe.each([
  'balances --as-of 2025-06-30',
  'ledgers rollforward --period 2025-Q3',
  'ledgers disposals --period 2025',
])('%s --mirror', (line) => {
  const words = line.split(' ');

  test('a command with --mirror prints the same rows as from the service, including account names', async () => {
    const live = await run(...words, '--json');
    const { stdout, error } = await offline(...words, ...MIRROR, '--json');
    expect(error).toBeUndefined();
    expect(JSON.parse(stdout)).toEqual(JSON.parse(live.stdout));
    const [first] = JSON.parse(stdout);
    expect(first.wallet).toEqual(expect.any(String));
  });
});

describe('audit --mirror', () => {
  test('"audit --mirror" reports the same findings as a live audit, and suggests commands with --mirror', async () => {
    const period = ['--period', '2025-Q3'];
    const legChecks = ['--check', 'negative-balance,unknown-balance,broken-chain,duplicate,missing-price'];
    const live = JSON.parse((await run('audit', ...period, ...legChecks, '--json')).stdout);
    const { stdout, error } = await offline('audit', ...period, ...legChecks, ...MIRROR, '--json');
    expect(error).toBeUndefined();
    const mirrored = JSON.parse(stdout);
    // Omit `next`, which contains --mirror, and `causes`, because a live audit finds more causes.
    const found = ({ findings }: { findings: Values[] }) =>
      findings.map(({ next: _, causes: __, ...finding }) => finding);
    expect(found(mirrored)).toEqual(found(live));
    expect(mirrored.findings.length).toBeGreaterThan(3);
    expect(mirrored.legs).toBe(live.legs);
    expect(mirrored.verified).toBe(true);
    const next = mirrored.findings.map((finding: Values) => String(finding['next']));
    for (const command of next.filter((text: string) => text.includes('ledgers explain'))) {
      expect(command).toContain(`--mirror ${books}`);
    }
    expect(next.join('\n')).toContain('ledgers explain');
  });

  test('if a check needs the service, "audit --mirror" marks this check as not possible', async () => {
    const { stdout } = await offline('audit', '--period', '2025-Q3', ...MIRROR, '--json');
    const checks: Values[] = JSON.parse(stdout).checks;
    const impossible = checks.filter(({ status }) => status === 'not-possible');
    expect(impossible.map(({ check }) => check)).toContain('stale-source');
    expect(impossible.find(({ check }) => check === 'stale-source')).toMatchObject({
      why: 'This check needs the service. Run the audit without --mirror.',
    });
  });

  test('"audit explain" and "ledgers explain" can explain a finding from the mirror', async () => {
    const { stdout } = await offline('audit', '--check', 'negative-balance', ...MIRROR, '--json');
    const [finding] = JSON.parse(stdout).findings;
    const explained = await offline('audit', 'explain', finding.id, ...MIRROR, '--json');
    expect(explained.error).toBeUndefined();
    expect(JSON.parse(explained.stdout)).toMatchObject({ ledgerId: finding.ledgerId });
    const leg = await offline('ledgers', 'explain', finding.ledgerId, ...MIRROR, '--json');
    expect(JSON.parse(leg.stdout).legs.length).toBeGreaterThan(0);
  });

  test('"balances --mirror" shows when the number of legs was verified and when every field was read', async () => {
    const { stderr } = await offline('balances', ...MIRROR);
    expect(stderr).toMatch(
      /The mirror contains the legs as of .+; the number of legs was verified at .+, and every field was read at .+/,
    );
    expect(stderr).toContain(`Add later legs with: cryptodata mirror ${books}`);
  });

  test('"audit --mirror" reports the result as unverified if the mirror was never verified', async () => {
    const restore = editState(books, ({ ledgers }) => {
      Object.assign(ledgers, { verified: false, why: 'the total moved' });
    });
    try {
      const { stdout, error } = await offline('audit', ...MIRROR, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ verified: false, why: 'the total moved' });
      expect(error).toMatchObject({ kind: 'unverified' });
    } finally {
      restore();
    }
  });
});

test('"audit --mirror" is verified only if all legs up to 32 hours after the period are verified', async () => {
  const from = (stateIn(books).ledgers.windows.at(-1)?.to ?? 0) + 1;
  const end = new Date(from - 1).toISOString();
  const restore = editState(books, ({ ledgers }) => {
    ledgers.windows.push({
      ...{ from, to: from + 3_600_000, part: null, rows: 0, total: 0, legsSha256: null, walletIds: [] },
      ...{ countsVerifiedAt: null, idsVerifiedAt: null, contentsVerifiedAt: null },
    });
  });
  try {
    expect((await offline('balances', '--as-of', end, ...MIRROR)).error).toBeUndefined();
    const audited = await offline('audit', '--to', end, ...MIRROR, '--json');
    expect(audited.error).toMatchObject({ kind: 'unverified' });
    expect(JSON.parse(audited.stdout).verified).toBe(false);
  } finally {
    restore();
  }
});

describe('spam assets', () => {
  type Found = Readonly<Record<'findings' | 'setAside', readonly Values[]>>;
  const auditOf = async (args: readonly string[], env: NodeJS.ProcessEnv) => {
    const { stdout, stderr, error } = await endHere(['audit', ...args, '--json'], env);
    expect(error).toBeUndefined();
    const { findings, setAside }: Found = JSON.parse(stdout);
    // A live audit also has findings about accounts and transactions, which a mirror does not have.
    const ids = (list: readonly Values[]) =>
      list.filter(({ ledgerId }) => ledgerId !== null).map(({ id }) => id);
    return { open: ids(findings), aside: ids(setAside), setAside, stderr };
  };
  const withSpam = async (work: (folder: string, env: NodeJS.ProcessEnv) => Promise<void>) => {
    const { findings }: Found = JSON.parse((await run('audit', '--json')).stdout);
    const ids = [...new Set(findings.flatMap(({ assetId }) => assetId ?? []))].slice(0, 2);
    const spam = [{ assetId: ids[0] }, { id: ids[1] }, { assetId: 7 }, { name: 'no id' }];
    const service = await createSandbox({ rows: 400, data: { spam } });
    try {
      const folder = temporary();
      await runHere(['mirror', folder], service.env);
      await work(folder, service.env);
    } finally {
      await service.close();
    }
  };

  test('"audit --mirror" sets aside the same findings on spam assets as a live audit', async () => {
    await withSpam(async (folder, env) => {
      const live = await auditOf([], env);
      const mirrored = await auditOf(['--mirror', folder], OFFLINE);
      expect(live.aside.length).toBeGreaterThan(1);
      expect(new Set(live.setAside.map(({ assetId }) => assetId)).size).toBe(2);
      expect([mirrored.open, mirrored.aside]).toEqual([live.open, live.aside]);
      expect(mirrored.stderr).not.toMatch(/list of spam assets/);
      for (const { stderr } of [live, mirrored]) expect(stderr).toContain('1 spam asset has no id');
    });
  });

  test('"audit --mirror" says that the mirror has no list of spam assets, until "mirror" reads the list', async () => {
    await withSpam(async (folder, env) => {
      const all = 'transactions,integrations,holdings,labels,spam';
      await runHere(['mirror', folder, '--tables', all.replace(',spam', '')], env);
      const before = await auditOf(['--mirror', folder], OFFLINE);
      expect(before.aside).toEqual([]);
      expect(before.stderr).toContain(
        `The mirror does not record which assets are spam, so findings on spam assets are included. To add the list: cryptodata mirror ${folder} --tables ${all}`,
      );
      expect((await endHere(['mirror', 'status', folder], OFFLINE)).stderr).toContain(
        'no list of spam assets',
      );
      await runHere(['mirror', folder, '--tables', all], env);
      const after = await auditOf(['--mirror', folder], OFFLINE);
      expect(after.aside.length).toBeGreaterThan(1);
      expect(after.stderr).not.toMatch(/list of spam assets/);
    });
  });

  test('a live audit says that the spam assets are unknown if the service refuses the list', async () => {
    const refused = await createSandbox({ rows: 100, faults: ['403:/v1/spam'] });
    const { stderr } = await endHere(['audit'], refused.env);
    await refused.close();
    expect(stderr).toContain('The spam assets are unknown, so findings on spam assets are included.');
  });
});

test('--file and --mirror cannot be combined', async () => {
  const { error } = await offline('balances', '--file', filed, ...MIRROR);
  expect(error).toMatchObject({ kind: 'usage', message: '--file and --mirror cannot be used together' });
});

test('a folder that is not a mirror causes a usage error', async () => {
  const { error } = await offline('balances', '--mirror', directory);
  expect(error).toMatchObject({ kind: 'usage', code: 'NO_MIRROR' });
});

describe('ledgers diff FILE live --mirror', () => {
  const diffed = async (...words: string[]) => {
    const { stdout, error } = await endHere(['ledgers', 'diff', ...words, '--json'], OFFLINE);
    return { ...(stdout === '' ? {} : JSON.parse(stdout)), error };
  };

  test('"ledgers diff --mirror" rejects a mirror that is older than the export', async () => {
    expect((await diffed(filed, 'live', ...MIRROR)).error).toMatchObject({ code: 'MIRROR_TOO_OLD' });
  });

  test('"ledgers diff --mirror" requires "live" as the newer side', async () => {
    expect((await diffed(filed, filed, ...MIRROR)).error).toMatchObject({ code: 'MIRROR_WITHOUT_LIVE' });
  });

  test('"ledgers diff --mirror" finds the same changes as a comparison with the service', async () => {
    await run('mirror', books, '--full');
    const same = await diffed(filed, 'live', ...MIRROR);
    expect(same).toMatchObject({ verified: true, added: 0, removed: 0, changed: 0, legsOld: 400 });
    const legs: Values[] = JSON.parse((await run('ledgers', 'list', '--all', '--json')).stdout);
    const [leg] = legs.filter(({ type }) => type === 'outgoing');
    expect(sandbox.ledgers.remove(String(leg?.['id']))).toBe(true);
    await run('mirror', books, '--full');
    const { old: _, new: __, error, ...mirrored } = await diffed(filed, 'live', ...MIRROR);
    expect(error).toBeUndefined();
    const live = JSON.parse((await run('ledgers', 'diff', filed, 'live', '--json')).stdout);
    const { old: ___, new: ____, ...expected } = live;
    expect(mirrored).toEqual(expected);
    expect(mirrored).toMatchObject({ removed: 1 });
  });
});

describe('a command that is suggested for a mirror', () => {
  const acme = join(directory, 'acme-books');
  const from = ['--mirror', acme];
  let found = 0;
  beforeAll(async () => {
    await run('mirror', acme, '--tables', 'none');
    editState(acme, ({ ledgers }) => {
      ledgers.verified = false;
      ledgers.why = 'the number of legs changed';
    });
  });

  test.each([
    ['mirror status', [acme]],
    ['mirror changes', [acme, '--since', '1d']],
    ['balances', from],
    ['audit', from],
    ['ledgers rollforward', from],
    ['ledgers diff', [filed, 'live', ...from]],
    ['mirror sql', [acme, 'SELECT * FROM spam']],
    ['close --period 2025-Q3', ['--out', join(directory, 'pack'), ...from]],
  ])('the commands that "%s" suggests contain the profile from -p', async (words, args) => {
    const line = [...words.split(' '), ...args, '-p', 'default'];
    const { stderr, error } = await endHere(line, { CRYPTODATA_WORKSPACE: String(stateIn(acme).workspace) });
    const suggested =
      `${stderr}\n${(error as { hint?: string } | undefined)?.hint ?? ''}`.match(
        /cryptodata mirror \S*acme-books.*/g,
      ) ?? [];
    found += suggested.length;
    expect(suggested).toEqual(suggested.filter((line) => line.includes('acme-books -p default')));
  });

  test('at least seven commands are suggested in total', () => {
    expect(found).toBeGreaterThan(6);
  });
});
