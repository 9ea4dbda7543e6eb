// Tests `audit` and `ledgers explain` on the sandbox and on exports. The expected numbers of findings come from the sandbox.

import { appendFile, copyFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkNamed } from '../../src/books/audit/checks/index.ts';
import type { Finding } from '../../src/books/audit/findings.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { cases, runs } from '../runs.ts';
import { writeBooks } from './books.ts';
import { endHere, runHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: runs(1500, 600) });
/** Fewer books, for tests that need no particular findings. */
const small = await createSandbox({ rows: 100 });
const directory = await mkdtemp(join(tmpdir(), 'cryptodata-audit-'));
const out = (name: string) => join(directory, name);
afterAll(async () => {
  await Promise.all([sandbox.close(), small.close()]);
  await rm(directory, { recursive: true, force: true });
});

interface Result {
  readonly verified: boolean;
  readonly legs: number;
  readonly checks: readonly {
    readonly check: string;
    readonly status: string;
    readonly why: string | null;
  }[];
  readonly findings: readonly Finding[];
  readonly setAside: readonly Finding[];
  readonly accepted: readonly Finding[];
}

async function audit(...args: string[]): Promise<Result> {
  return JSON.parse((await runHere(['audit', ...args, '--json'], sandbox.env)).stdout);
}

let whole: Result;
beforeAll(async () => {
  whole = await audit();
  for (const name of ['all.csv', 'all.jsonl']) {
    await runHere(['ledgers', 'export', '--out', out(name)], sandbox.env);
  }
  await copyFile(out('all.csv'), out('alone.csv'));
  await runHere(['ledgers', 'export', '--out', out('fees.jsonl'), '--types', 'fee'], sandbox.env);
});

/** Writes a file that accepts two findings: one of a check that ran, and one of a check that did not run. */
async function acceptedFile(): Promise<string> {
  await writeFile(out('gone.txt'), 'duplicate-0000000000 old\nhigh-pnl-0000000000 old\n');
  return out('gone.txt');
}

/** Returns the findings of a check, including findings about spam assets. */
const of = (check: string, { findings, setAside }: Result = whole) =>
  [...findings, ...setAside].filter((finding) => finding.check === check);

const legsOf = (check: string) => of(check).reduce((sum, { legs }) => sum + (legs ?? 0), 0);

describe('audit', () => {
  test('"audit" reports every wallet/asset pair with a negative balance, and counts the negative legs', () => {
    const found = new Set(of('negative-balance').map(({ walletId, assetId }) => `${walletId} ${assetId}`));
    const truth = sandbox.truth.negativePairs.map(({ walletId, assetId }) => `${walletId} ${assetId}`);
    expect(found).toEqual(new Set(truth));
    expect(legsOf('negative-balance')).toBe(sandbox.truth.negative);
  });

  test('"audit" finds all faulty legs of the sandbox, and no other legs', () => {
    expect(of('profit')).toHaveLength(sandbox.truth.profitOff);
    expect(legsOf('unknown-balance')).toBe(sandbox.truth.withoutBalance);
    expect(of('arithmetic')).toEqual([]);
    expect(of('broken-chain')).toEqual([]);
    expect(whole.legs).toBe(sandbox.truth.ledgers);
    expect(whole.verified).toBe(true);
  });

  test('"audit" lists an incomplete sync as a cause with high confidence only if this sync wrote the leg', async () => {
    const accounts = JSON.parse((await runHere(['integrations', 'list', '--json'], sandbox.env)).stdout);
    const lines = (await readFile(out('all.jsonl'), 'utf8')).trim().split('\n');
    const legs = new Map(lines.map((line) => JSON.parse(line)).map((leg) => [leg.id, leg]));
    expect(of('failing-source').length).toBeGreaterThan(0);
    for (const { causes, ledgerId, timestamp, walletId } of whole.findings) {
      for (const { cause, confidence, next } of causes) {
        if (cause !== 'account that did not sync completely') continue;
        const synced = accounts.find((account: { walletId: string }) => account.walletId === walletId);
        const isOfSync = next === `cryptodata sync get ${legs.get(ledgerId)?.syncId}`;
        const isOfOther = !isOfSync && next.startsWith('cryptodata sync get ');
        expect(confidence).toBe(isOfSync ? 'high' : isOfOther ? 'low' : 'medium');
        if (confidence === 'medium') expect(timestamp).toBeGreaterThan(synced.lastSyncedAt);
      }
    }
  });

  test('"audit" checks the accounts without access to syncs and providers', async () => {
    const own = await createSandbox({ rows: 200 });
    try {
      const accounts = async () => {
        const args = ['audit', '--check', 'failing-source,stale-source', '--json'];
        const { findings, checks }: Result = JSON.parse((await runHere(args, own.env)).stdout);
        const found = findings.filter(
          ({ message }) => !/records|transaction limit|degraded|down/.test(message),
        );
        return { ids: found.map(({ id }) => id), statuses: checks.map(({ status }) => status) };
      };
      const before = await accounts();
      own.faults.add('403:/v1/sync/*');
      own.faults.add('403:/v1/providers');
      expect(await accounts()).toEqual(before);
      expect(before.ids.length).toBeGreaterThan(0);
    } finally {
      await own.close();
    }
  });

  test('"audit" runs the high-pnl check only with --min-total-gains', async () => {
    const resultOf = ({ checks }: Result) => checks.find(({ check }) => check === 'high-pnl');
    expect(resultOf(whole)).toMatchObject({
      status: 'not-possible',
      why: expect.stringContaining('--min-total-gains'),
    });
    const scoped = await audit('--period', '2025', '--tz', 'Europe/Berlin');
    expect(resultOf(scoped)?.why).toMatch(
      /cryptodata audit --min-total-gains 1000 --period 2025 --tz Europe\/Berlin\.$/,
    );
    const gains = await audit('--check', 'high-pnl', '--min-total-gains', '0.01');
    expect(resultOf(gains)?.status).toBe('failed');
    expect(gains.findings.length).toBeGreaterThan(0);
    for (const { message, next } of gains.findings) {
      expect(message).toMatch(/at least 0\.01 .*over all periods/);
      expect(next).toBe('cryptodata txns --preset high-pnl --min-total-gains 0.01 --all');
    }
  });

  test.each(['all.csv', 'all.jsonl'])(
    '"audit --file %s" reports the same findings about legs as a live audit',
    async (name) => {
      const fromFile = await audit('--file', out(name));
      const inLegs = ({ check }: Finding) =>
        !/source$|^uncategorized$|^high-pnl$|^missing-purchases$|^missing-prices$/.test(check);
      // A file shows neither which assets are spam nor which accounts failed.
      const ids = (result: Result) =>
        [...result.findings, ...result.setAside]
          .filter(inLegs)
          .map(({ id }) => id)
          .sort();
      expect(ids(fromFile)).toEqual(ids(whole));
      expect(fromFile).toMatchObject({ verified: true, legs: whole.legs });
      expect(fromFile.checks.find(({ check }) => check === 'failing-source')).toMatchObject({
        status: 'not-possible',
        why: expect.stringContaining('--file'),
      });
    },
  );

  test.each(['audit', 'audit explain x', 'balances', 'ledgers rollforward', 'ledgers disposals'])(
    '"%s --file" prints no result if the file was changed after the export',
    async (command) => {
      await runHere(['ledgers', 'export', '--out', out('changed.jsonl'), '--overwrite'], small.env);
      for (const change of [(path: string) => appendFile(path, '\n'), (path: string) => truncate(path)]) {
        await change(out('changed.jsonl'));
        const { stdout, stderr, error } = await endHere(
          [...command.split(' '), '--file', out('changed.jsonl')],
          small.env,
        );
        expect(stdout + stderr).toBe('');
        expect(error).toMatchObject({ kind: 'unverified', code: 'FILE_CHANGED' });
      }
    },
  );

  test('rejects a damaged file', async () => {
    await runHere(['ledgers', 'export', '--out', out('cut.jsonl')], small.env);
    const text = await readFile(out('cut.jsonl'), 'utf8');
    await writeFile(out('cut.jsonl'), text.replace('{', '['));
    const { error } = await endHere(['audit', '--file', out('cut.jsonl')], small.env);
    expect(error).toMatchObject({ kind: 'unverified', code: 'DAMAGED_FILE' });
  });

  test.each([
    ['a file with only some of the legs', () => ['--file', out('fees.jsonl')], 'FILTERED_FILE'],
    ['a file that does not exist', () => ['--file', out('none.csv')], 'NO_EXPORT'],
    ['a file without a manifest', () => ['--file', out('alone.csv')], 'NO_MANIFEST'],
    ['an asset that no leg has', () => ['--asset', 'NOPE'], 'UNKNOWN_NAME'],
    ['an ignore file that does not exist', () => ['--ignore', out('none.txt')], 'NO_IGNORE_FILE'],
  ])('rejects %s', async (_, args, code) => {
    expect((await endHere(['audit', ...args()], sandbox.env)).error).toMatchObject({ kind: 'usage', code });
  });

  test('"audit --ignore" lists accepted findings separately, and reports ids that no longer match a finding', async () => {
    const [first] = of('profit');
    await writeFile(
      out('accepted.txt'),
      `# reviewed\n${first?.id} rounding at the exchange\nprofit-0000000000 old\n`,
    );
    const args = [
      'audit',
      '--file',
      out('all.jsonl'),
      '--ignore',
      out('accepted.txt'),
      '--exit-code',
      '--json',
    ];
    const { stdout, stderr, found } = await endHere(args, sandbox.env);
    const result: Result = JSON.parse(stdout);
    expect(result.accepted).toMatchObject([{ id: first?.id, reason: 'rounding at the exchange' }]);
    expect(result.findings.map(({ id }) => id)).not.toContain(first?.id);
    expect(found).toBe(result.findings.length);
    expect(stderr).toContain('1 accepted finding does not occur in this audit: profit-0000000000.');
  });

  test.each([
    ['--wallet', () => ['--wallet', 'kraken']],
    ['--asset', () => ['--asset', 'BTC']],
    ['--check', () => ['--check', 'arithmetic']],
    ['--dust', () => ['--dust', '1']],
    ['a period', () => ['--period', '2025']],
    ['the end of a period', () => ['--to', '2025-12-31']],
    ['--file', () => ['--file', out('all.jsonl')]],
  ])('"audit --ignore" with %s never advises to remove accepted findings', async (_, args) => {
    const { stderr } = await endHere(['audit', ...args(), '--ignore', await acceptedFile()], small.env);
    expect(stderr).toContain('run the audit without filters and without a period');
    expect(stderr).not.toMatch(/no longer occur|Remove/);
  });

  test('"audit --ignore" advises to remove accepted findings only if their check was complete', async () => {
    const { stderr } = await endHere(['audit', '--ignore', await acceptedFile()], small.env);
    expect(stderr).toContain('no longer occur: duplicate-0000000000. Remove them');
    expect(stderr).toContain(
      '1 accepted finding does not occur in this audit: high-pnl-0000000000. Its check was limited, or could not run.',
    );
  });

  test('"audit --ignore" never advises to remove a finding that covers the legs of a period', async () => {
    const found = new Set(whole.findings.map(({ id }) => id));
    const [accepted] = of('missing-price', await audit('--to', '2024-06-30')).filter(
      ({ id }) => !found.has(id),
    );
    await writeFile(out('of-period.txt'), `${accepted?.id} agreed\n`);
    for (const args of [[], ['--from', '2024-07-01']]) {
      const { stderr } = await endHere(['audit', ...args, '--ignore', out('of-period.txt')], sandbox.env);
      expect(stderr).toContain(
        `1 accepted finding does not occur in this audit: ${accepted?.id}. To find out whether it still occurs, run the audit without filters, for the period in which it was accepted.`,
      );
      expect(stderr).not.toMatch(/no longer occur|without a period/);
    }
  });

  test('rejects an ignore file in which an entry has no reason', async () => {
    await writeFile(out('bare.txt'), 'profit-0000000000\n');
    const { error } = await endHere(['audit', '--ignore', out('bare.txt')], small.env);
    expect(error).toMatchObject({ code: 'BAD_IGNORE_FILE', message: expect.stringContaining('line 1') });
  });

  test('"audit" reports that the period has no legs', async () => {
    const { stderr } = await runHere(['audit', '--period', '1999'], small.env);
    expect(stderr).toContain('There are no legs in the period');
  });

  test('"audit --file" suggests a command that explains a finding from the same file', async () => {
    const file = out("Anna's books.jsonl");
    await runHere(['ledgers', 'export', '--out', file], sandbox.env);
    const { findings } = await audit('--file', file, '--period', '2025', '--check', 'profit');
    const quoted = `'${file.replace("'", "'\\''")}'`;
    const [first] = findings;
    expect(first?.next).toBe(`cryptodata ledgers explain ${first?.ledgerId} --file ${quoted} --period 2025`);
    const args = [
      'ledgers',
      'explain',
      String(first?.ledgerId),
      '--file',
      file,
      '--period',
      '2025',
      '--json',
    ];
    const { findings: again } = JSON.parse((await runHere(args, sandbox.env)).stdout);
    expect(again.map(({ id }: Finding) => id)).toContain(first?.id);
  });

  test.each(['audit', 'audit explain'])(
    'every command that "%s" suggests contains --tz, and the period for a leg in the period',
    async (command) => {
      const scope = ['--period', '2025', '--tz', 'Europe/Berlin', '--json'];
      const { findings } = JSON.parse((await runHere(['audit', ...scope], sandbox.env)).stdout);
      const id = findings.find(({ causes }: Finding) => causes.length > 0).id;
      const words = command === 'audit' ? ['audit'] : ['audit', 'explain', id];
      const { stdout } = await runHere([...words, ...scope], sandbox.env);
      const suggested = [
        ...stdout.matchAll(/"next": *"(cryptodata ledgers explain [^"]*)"(,\s*"beforePeriod": *true)?/g),
      ].map(([, next = '', isBefore]) => ({ next, isBefore: isBefore !== undefined }));
      const before = new Set(suggested.flatMap(({ next, isBefore }) => (isBefore ? next : [])));
      expect(suggested.length).toBeGreaterThan(before.size);
      for (const { next } of suggested) {
        const flags = before.has(next) ? '--tz Europe/Berlin' : '--period 2025 --tz Europe/Berlin';
        expect(next).toMatch(new RegExp(`^cryptodata ledgers explain \\S+ ${flags}$`));
      }
    },
  );

  test('"audit --check" fails with exit code 12 if the check cannot run', async () => {
    const { error } = await endHere(['audit', '--check', 'high-pnl'], small.env);
    expect(error).toMatchObject({ kind: 'unverified', code: 'CHECK_NOT_POSSIBLE' });
  });

  test('"readTo" in the scope of "audit --json" is 32 hours after the end of the period', async () => {
    const { scope, checks, matched } = JSON.parse(
      (await runHere(['audit', '--period', '2024', '--wallet', 'kraken', '--json'], small.env)).stdout,
    );
    const end = Date.UTC(2025, 0, 1) - 1;
    expect(scope).toEqual({
      ...{ period: { from: Date.UTC(2024, 0, 1), to: end }, timeZone: 'UTC' },
      ...{ wallets: ['kraken'], assets: null, source: 'service' },
      ...{ readFrom: null, readTo: end + 32 * 3_600_000 },
    });
    expect(matched).toEqual({
      high: expect.any(Number),
      medium: expect.any(Number),
      low: expect.any(Number),
    });
    for (const { findings, counts } of checks) expect(findings).toBe(counts.open + counts.spam + counts.dust);
  });

  test('"audit --asset" shows only findings about that asset', async () => {
    const [{ symbol } = { symbol: '' }] = of('negative-balance');
    const { findings } = await audit('--asset', String(symbol).toLowerCase(), '--file', out('all.csv'));
    expect(new Set(findings.map((finding) => finding.symbol))).toEqual(new Set([symbol]));
  });

  test('"audit --jsonl" prints one finding per line', async () => {
    const { stdout } = await runHere(['audit', '--file', out('all.jsonl'), '--jsonl'], sandbox.env);
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(ids).toEqual((await audit('--file', out('all.jsonl'))).findings.map(({ id }) => id));
  });
});

describe('ledgers explain', () => {
  test('in the legs of "ledgers explain", the balance before each leg is the balance after the previous leg', async () => {
    const [finding] = of('negative-balance');
    const args = ['ledgers', 'explain', String(finding?.ledgerId), '--json'];
    const { findings, legs, next } = JSON.parse((await runHere(args, sandbox.env)).stdout);
    expect(findings.map(({ id }: Finding) => id)).toContain(finding?.id);
    const places = legs.map(({ place }: { place: string }) => place);
    expect(places.filter((place: string) => place === 'here')).toHaveLength(1);
    expect(places.indexOf('here')).toBeLessThanOrEqual(10);
    for (const [index, leg] of legs.entries()) {
      if (index > 0 && !/^deepest/.test(leg.place))
        expect(leg.beforeBalance).toBe(legs[index - 1].afterBalance);
    }
    expect(next).toMatch(/^cryptodata /);
  });

  test('"ledgers explain" and "audit explain" list the legs with the lowest balances of an episode', async () => {
    const legs = [...Array(12).keys()].map((at) => ({
      ...{ id: `l${at}`, transactionId: `t${at}`, timestamp: Date.UTC(2025, 0, 1 + at), type: 'outgoing' },
      ...{ walletId: 'w', assetId: 'x', asset: { symbol: 'X' }, quantity: '1', baseCurrency: 'USD' },
      ...{ beforeBalance: String(-at), afterBalance: String(-at - 1) },
    }));
    const back = { type: 'incoming', beforeBalance: '-12', afterBalance: '-11', id: 'l12' };
    const file = await writeBooks(out('deep.jsonl'), [
      ...legs,
      { ...legs[11], ...back, timestamp: Date.UTC(2025, 1, 1) },
    ]);
    const args = ['--file', file, '--json'];
    const { findings } = JSON.parse((await runHere(['audit', ...args], sandbox.env)).stdout);
    const [{ id }] = findings.filter(({ check }: Finding) => check === 'negative-balance');
    for (const words of [
      ['ledgers', 'explain', 'l0'],
      ['audit', 'explain', id],
    ]) {
      const explained = JSON.parse((await runHere([...words, ...args], sandbox.env)).stdout);
      const places = explained.legs.map((leg: JsonRecord) => [leg['id'], leg['place']]);
      expect(places.slice(-2)).toEqual([
        ['l5', 'after'],
        ['l11', 'deepest'],
      ]);
    }
    // In February, the balance stays higher than the lowest balance of the whole episode.
    const february = ['ledgers', 'explain', 'l0', '--file', file, '--period', '2025-02', '--tz', 'UTC'];
    const explained = JSON.parse((await runHere([...february, '--json'], sandbox.env)).stdout);
    expect(explained.legs.slice(-2).map((leg: JsonRecord) => [leg['id'], leg['place']])).toEqual([
      ['l11', 'deepestOfAll'],
      ['l12', 'deepest'],
    ]);
    const { stdout } = await runHere([...february, '-o', 'table'], sandbox.env);
    expect(stdout).toMatch(/^deepest of all .* l11$/m);
    expect(stdout).toMatch(/^deepest in period .* l12$/m);
  });

  test('"ledgers explain" shows the value of a finding, and the date of its price', async () => {
    const leg = {
      ...{ id: 'l1', transactionId: 't1', timestamp: Date.UTC(2025, 0, 1), type: 'outgoing', walletId: 'w' },
      ...{ assetId: 'x', asset: { symbol: 'X' }, quantity: '9', baseCurrency: 'USD', price: { price: 2 } },
      ...{ beforeBalance: '0', afterBalance: '-9' },
    };
    const rise = {
      type: 'incoming',
      quantity: '1',
      beforeBalance: '-9',
      afterBalance: '-8',
      price: { price: 3 },
    };
    const later = { ...leg, id: 'l2', transactionId: 't2', timestamp: Date.UTC(2025, 1, 3), ...rise };
    const file = await writeBooks(out('priced.jsonl'), [leg, later]);
    const args = ['ledgers', 'explain', 'l1', '--file', file, '--tz', 'UTC', '-o', 'table'];
    const atStake = async (...more: string[]) =>
      /^at stake +(.*)$/m.exec((await runHere([...args, ...more], sandbox.env)).stdout)?.[1];
    expect(await atStake()).toContain('27 USD (9 X, at the price of 2025-02-03)');
    expect(await atStake('--period', '2025-01')).toBe('18 USD (9 X, at the price of 2025-01-01)');
  });

  test('"audit explain" recommends an action for a finding of every check', async () => {
    const checks = new Set(whole.findings.map(({ check }) => check));
    expect(checks.size).toBeGreaterThan(8);
    for (const check of checks) {
      const { id } = of(check)[0] ?? { id: '' };
      const args = ['audit', 'explain', id, '--file', out('all.jsonl'), '--json'];
      const { stdout } = await runHere(
        checkNamed(check).isAboutService ? args.toSpliced(3, 2) : args,
        sandbox.env,
      );
      expect(JSON.parse(stdout).action, check).toMatch(/^[A-Z].*\.$/);
    }
  });

  test('"ledgers explain" lists a cause of several findings once', async () => {
    for (const { ledgerId } of of('opening-balance').slice(0, 3)) {
      const args = ['ledgers', 'explain', String(ledgerId), '--file', out('all.jsonl'), '--json'];
      const { causes } = JSON.parse((await runHere(args, sandbox.env)).stdout);
      const shown = causes.map(({ cause, evidence }: Record<string, string>) => `${cause}: ${evidence}`);
      expect(new Set(shown).size).toBe(shown.length);
    }
  });

  test('"ledgers explain" suggests an action and a command that shows the transaction', async () => {
    const finding = of('opening-balance').find(({ ledgerId }) =>
      of('negative-balance').some((negative) => negative.ledgerId === ledgerId),
    );
    const explained = await runHere(['ledgers', 'explain', String(finding?.ledgerId), '--json'], sandbox.env);
    const { action, next, causes, findings } = JSON.parse(explained.stdout);
    expect(causes[0].cause).toBe('missing history');
    const { wallet, timestamp } = findings[0];
    expect(action).toBe(
      `Import the history of ${wallet} before ${new Date(timestamp).toISOString().slice(0, 10)}.`,
    );
    expect(next).toBe(`cryptodata txns ledgers ${finding?.transactionId}`);
  });

  test('the command for a cause before the period reports the findings about the leg of the cause', async () => {
    const args = ['audit', '--file', out('all.jsonl'), '--from', '2022-01-01', '--json'];
    const { findings } = JSON.parse((await runHere(args, sandbox.env)).stdout);
    const causes = findings.flatMap((finding: { causes: JsonRecord[] }) => finding.causes);
    const commands = new Map<string, boolean>(
      causes
        .filter(({ next }: JsonRecord) => String(next).startsWith('cryptodata ledgers explain '))
        .map(({ next, beforePeriod }: JsonRecord) => [next, beforePeriod === true]),
    );
    expect(new Set(commands.values())).toEqual(new Set([true, false]));
    const some = [true, false].flatMap((is) =>
      cases(
        [...commands].flatMap(([next, isBefore]) => (isBefore === is ? next : [])),
        2,
      ),
    );
    for (const next of some) {
      const { stdout } = await runHere([...next.split(' ').slice(1), '--json'], sandbox.env);
      expect(JSON.parse(stdout).findings, next).not.toEqual([]);
    }
  });

  test('"ledgers explain" says that findings about a leg before the period are not reported', async () => {
    const negative = new Set(of('negative-balance').map(({ ledgerId }) => ledgerId));
    const finding = of('profit').find(({ ledgerId }) => !negative.has(ledgerId));
    const year = new Date(Number(finding?.timestamp)).getUTCFullYear() + 1;
    const words = ['ledgers', 'explain', String(finding?.ledgerId), '--period', String(year), '-o', 'table'];
    const { stdout, stderr } = await runHere([...words, '--file', out('all.jsonl')], sandbox.env);
    expect(stdout).toContain('No finding points to this leg.');
    expect(stderr).toContain('The leg is before the period, so findings about it are not reported.');
  });

  test('"ledgers explain" lists a sync that dropped records of the account as a possible cause', async () => {
    const dropped = of('failing-source').filter(({ message }) => /dropped/.test(message));
    const evidence = new Map(dropped.map(({ walletId, message }) => [walletId, message]));
    const found = of('negative-balance').find(({ walletId }) => evidence.has(walletId));
    const { stdout } = await runHere(['ledgers', 'explain', String(found?.ledgerId), '--json'], sandbox.env);
    const causes: Record<string, string>[] = JSON.parse(stdout).causes;
    expect(causes.map((cause) => cause['evidence'])).toContain(evidence.get(found?.walletId ?? null));
  });

  test('"ledgers explain" for a file without a cause says that the accounts were not checked', async () => {
    const found = cases(of('negative-balance'), 8).map(({ ledgerId }) => String(ledgerId));
    const explained = await Promise.all(
      found.map((id) => runHere(['ledgers', 'explain', id, '--file', out('all.jsonl')], sandbox.env)),
    );
    const notes = explained.map(({ stderr }) => stderr).filter((text) => text.includes('No likely cause'));
    expect(notes.length).toBeGreaterThan(0);
    for (const note of notes) {
      expect(note).toContain('Not everything was checked. failing-source');
      expect(note).toContain('The file contains only legs. Run the audit without --file.');
    }
  });

  test('for a leg with a correct balance, "ledgers explain" omits the note about causes', async () => {
    const withBalance = new Set(
      whole.findings.filter(({ check }) => /balance|chain/.test(check)).map(({ ledgerId }) => ledgerId),
    );
    const finding = of('unmatched-transfer').find(({ ledgerId }) => !withBalance.has(ledgerId));
    const { stderr } = await runHere(['ledgers', 'explain', String(finding?.ledgerId)], sandbox.env);
    expect(stderr).not.toContain('No likely cause');
  });

  test('"ledgers explain" for a leg shows the same legs as "audit explain" for the finding about this leg', async () => {
    const [finding] = of('negative-balance');
    const explain = async (...words: string[]) =>
      JSON.parse((await runHere([...words, '--json', '--file', out('all.jsonl')], sandbox.env)).stdout);
    const [byFinding, byLeg] = [
      await explain('audit', 'explain', String(finding?.id)),
      await explain('ledgers', 'explain', String(finding?.ledgerId)),
    ];
    expect(byFinding.legs).toEqual(byLeg.legs);
  });

  test.each([
    ['ledgers explain led_none', 'NO_LEG'],
    ['audit explain profit-0000000000', 'NO_FINDING'],
  ])('"%s" fails if the id is unknown', async (line, code) => {
    const { error } = await endHere([...line.split(' '), '--file', out('all.jsonl')], sandbox.env);
    expect(error).toMatchObject({ kind: 'notFound', code });
  });
});

test('if the syncs cannot be read, "audit" says that the latest syncs of accounts are unknown', async () => {
  const refusing = await createSandbox({ rows: 50, faults: ['403:/v1/sync/*:rate=1'] });
  try {
    const { stdout } = await runHere(['audit', '--check', 'failing-source', '--json'], refusing.env);
    const [result] = JSON.parse(stdout).checks;
    expect(result.why).toMatch(/^The latest sync of [1-9]\d* accounts? is unknown/);
  } finally {
    await refusing.close();
  }
});

test('"audit --file" says that findings on spam assets are included', async () => {
  const { stderr } = await runHere(['audit', '--file', out('all.jsonl'), '--json'], sandbox.env);
  expect(stderr).toContain('A file does not record which assets are spam');
});
