import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseJson } from '../../src/core/json.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { addScaled, scaled, withoutZeros } from '../books/journal-legs.ts';
import { check, holdings, PLAIN_TEXT, PROGRAMS } from '../formats/journal-tools.ts';
import { needs } from '../needs.ts';
import { endHere, runHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 1000 });
const directory = mkdtempSync(join(tmpdir(), 'cryptodata-journal-export-'));
afterAll(async () => {
  await sandbox.close();
  rmSync(directory, { recursive: true, force: true });
});

const path = (name: string) => join(directory, name);
const out = (name: string, ...args: string[]) =>
  runHere(['ledgers', 'export', '--out', path(name), ...args, '--json'], sandbox.env);
const manifestOf = (name: string) => JSON.parse(readFileSync(path(`${name}.manifest.json`), 'utf8'));
const docs = readFileSync(new URL('../../docs/journals.md', import.meta.url), 'utf8');
const templateIn = (name: string) => new RegExp(`\`\`\`text\\n(# ${name}[^\`]*)\`\`\``).exec(docs)?.[1] ?? '';
const codes = templateIn('codes.txt');
const EXTENSIONS = { hledger: 'journal', ledger: 'ledger', beancount: 'beancount' };

/** Returns the net quantity of each asset, computed from the legs of the service. */
async function served(): Promise<Map<string, bigint>> {
  const { stdout } = await runHere(['ledgers', 'export', '--out', '-', '--format', 'jsonl'], sandbox.env);
  const sums = new Map<string, bigint>();
  for (const line of stdout.trimEnd().split('\n')) {
    const leg = Object(parseJson(line));
    const key = leg.assetId ?? `symbol ${leg.assetRaw.symbol}`;
    addScaled(sums, key, scaled(leg.quantity) * (leg.type === 'incoming' ? 1n : -1n));
  }
  return withoutZeros(sums);
}

describe.skipIf(!needs(...PROGRAMS))('a journal of the example data', () => {
  test.each(PLAIN_TEXT)(
    '%s accepts the example journal, and computes the balance of each asset to the last digit',
    async (tool) => {
      const name = `example.${EXTENSIONS[tool]}`;
      const { stderr } = await out(name);
      check(tool, path(name));
      const expected = await served();
      expect(expected.size).toBeGreaterThan(30);
      expect(holdings(tool, path(name), 100)).toEqual(expected);
      // By default, Beancount computes with 28 digits. The export prints a warning for assets that need more digits.
      const rounded = [...holdings(tool, path(name))].filter(([asset, sum]) => sum !== expected.get(asset));
      const text = readFileSync(path(name), 'utf8');
      for (const [asset] of rounded) {
        const declared = new RegExp(`commodity (.*)\\n.*\\n {2}asset: "${asset}"`).exec(text);
        expect(stderr).toMatch(
          new RegExp(`computes with only 28 digits and may round sums of .*\\b${declared?.[1]}\\b`),
        );
      }
      expect(rounded.length > 0).toBe(tool === 'beancount');
    },
  );
});

describe.skipIf(!needs(...PROGRAMS))('a journal with opening balances', () => {
  const period = ['--period', '2025-Q2'];

  test.each(PLAIN_TEXT)(
    '%s accepts the journal, and computes every closing balance that is known in the books',
    async (tool) => {
      const name = `opening.${EXTENSIONS[tool]}`;
      const { stderr } = await out(name, ...period, '--opening');
      check(tool, path(name));
      const held = holdings(tool, path(name), 100);
      const args = ['ledgers', 'rollforward', ...period, '--by', 'asset', '--json'];
      const lines: Record<string, string | null>[] = JSON.parse((await runHere(args, sandbox.env)).stdout);
      const known = lines.filter(({ opening, difference }) => opening !== null && difference === '0');
      expect(known.filter(({ opening }) => scaled(opening ?? '') !== 0n).length).toBeGreaterThan(15);
      for (const { assetId, symbol, closing } of known)
        expect(held.get(assetId ?? `symbol ${symbol}`) ?? 0n, `${symbol}`).toBe(scaled(closing ?? ''));
      // An unknown opening balance is listed, but not posted.
      const { opening } = manifestOf(name).journal;
      const listed = readFileSync(path(name), 'utf8').match(/^; Unknown opening balance: .+ in .+$/gm);
      expect(listed).toHaveLength(opening.unknown.length);
      expect(opening.unknown.length).toBeGreaterThan(3);
      expect(stderr).toContain(
        `${opening.balances - opening.unknown.length} of ${opening.balances} are known`,
      );
      expect(stderr).toMatch(/Unknown opening balances, which are not in the journal: .+ in .+/);
    },
  );
});

test('the notes of an export say whether the transfers add up to zero, and list balances that differ from the books', async () => {
  const usual = await createSandbox();
  writeFileSync(path('ignore.txt'), 'codes = ignore\n');
  const args = ['--out', path('usual.journal'), '--accounts', path('ignore.txt'), '--opening'];
  const period = ['--period', '2025-Q3'];
  try {
    const list = ['ledgers', 'list', ...period, '--lt-after-balance', '1000', '--json'];
    const [leg] = JSON.parse((await runHere(list, usual.env)).stdout);
    usual.ledgers.edit(leg.id, { quantity: '123.25' });
    const { stderr } = await runHere(['ledgers', 'export', ...args, ...period], usual.env);
    const { transfers, opening } = manifestOf('usual.journal').journal;
    expect(transfers.legs).toBeGreaterThan(1);
    expect(stderr).toMatch(
      new RegExp(`The quantities of its ${transfers.legs} legs (add up|do not add up) to zero`),
    );
    expect(stderr).not.toContain('matching');
    const { stdout } = await runHere(['ledgers', 'rollforward', ...period, '--json'], usual.env);
    const wrong = JSON.parse(stdout).filter(({ tiesOut }: { tiesOut: unknown }) => tiesOut === false);
    expect(wrong.length).toBeGreaterThan(0);
    expect(opening.differing).toHaveLength(wrong.length);
    const text = readFileSync(path('usual.journal'), 'utf8');
    expect(text.match(/^; Closing balance of the books differs from this journal: .+ by .+$/gm)).toHaveLength(
      wrong.length,
    );
    expect(stderr).toContain('because the books do not add up: ');
  } finally {
    await usual.close();
  }
});

test('"ledgers verify --deep" writes a journal again with the opening balances from its manifest', async () => {
  await out('deep-opening.journal', '--period', '2025-Q2', '--opening', '--roll-up', 'month');
  const args = ['ledgers', 'verify', path('deep-opening.journal'), '--deep', '--json'];
  expect(JSON.parse((await endHere(args, sandbox.env)).stdout)).toMatchObject({
    ...{ verified: true, compared: 'contents' },
  });
  const text = readFileSync(path('deep-opening.journal'), 'utf8');
  expect(text.match(/^2025-04-01 \* \(opening\) Opening balances$/gm)).toHaveLength(1);
});

test.each([
  ['--format quickbooks --period 2025', 'NOT_FOR_JOURNALS', /have values, but no quantities/],
  ['--format csv --period 2025', 'NOT_A_JOURNAL', /--opening can only be used with a journal/],
  ['--format hledger', 'NO_PERIOD_START', /a period with a start/],
  ['--format hledger --to 2025-12-31', 'NO_PERIOD_START', /a period with a start/],
  ['--format hledger --period 2025 --transaction-ids TXN', 'NO_PERIOD_START', /all legs/],
])('--opening with %s is rejected', async (flags, code, message) => {
  const { stdout } = await runHere(['ledgers', 'list', '--limit', '1', '--json'], sandbox.env);
  const given = flags.replace('TXN', JSON.parse(stdout)[0].transactionId).split(' ');
  const args = ['ledgers', 'export', '--out', path(`no-${code}`), '--opening', ...given];
  expect((await endHere(args, sandbox.env)).error).toMatchObject({
    ...{ kind: 'usage', code, message: expect.stringMatching(message) },
  });
});

test('the manifest of a journal contains the number of entries and, for each suspense reason, the number of legs', async () => {
  const { stdout, stderr } = await out('facts.journal');
  expect(JSON.parse(stdout)).toMatchObject({
    format: 'hledger',
    rows: sandbox.truth.ledgers,
    verified: true,
  });
  const { verified, journal, lines } = manifestOf('facts.journal');
  expect(verified).toBe(true);
  expect(journal).toMatchObject({ legs: sandbox.truth.ledgers, entries: sandbox.truth.transactions, lines });
  const counted = new Map<string, number>(
    journal.incomplete.reasons.map(({ reason, legs }: { reason: string; legs: number }) => [reason, legs]),
  );
  expect(counted.get('half-posted')).toBe(sandbox.truth.halfPosted);
  expect(counted.get('unresolved-asset')).toBe(sandbox.truth.missingAsset);
  expect(counted.get('profit-differs')).toBe(sandbox.truth.profitOff);
  const text = readFileSync(path('facts.journal'), 'utf8');
  const { legs, inSuspense } = journal.incomplete;
  expect(text.match(/^; Incomplete \(in suspense\): leg /gm)).toHaveLength(inSuspense);
  expect(stderr).toContain(`{"warning":"${legs} legs are incomplete (${inSuspense} in suspense`);
  const reasons = [...counted.values()].reduce((sum, number) => sum + number, 0);
  expect(reasons).toBeGreaterThan(legs);
  expect(stderr).toContain('Some legs have several of these reasons.');
  expect(stderr).toContain(`The balance of the suspense account is ${journal.suspense.USD} USD`);
  const posted = [...text.matchAll(/^ {4}equity:suspense +(-?[0-9.]+) "USD"$/gm)];
  expect(posted.reduce((sum, [, amount = '']) => sum + scaled(amount), 0n)).toBe(
    scaled(journal.suspense.USD),
  );
  expect(text).toContain("; Verified: yes, against the service's totals");
});

test('a journal export writes the same bytes each time, to a file or to stdout', async () => {
  await out('bytes.beancount');
  await out('again.beancount');
  const { stdout } = await runHere(['ledgers', 'export', '--out', '-', '--format', 'beancount'], sandbox.env);
  const text = readFileSync(path('bytes.beancount'), 'utf8');
  expect(readFileSync(path('again.beancount'), 'utf8')).toBe(text);
  expect(stdout).toBe(text);
});

test.each(['hledger', 'xero'])(
  '"ledgers verify --deep" generates a %s journal again, and compares the bytes',
  async (format) => {
    const template = path(`${format}.txt`);
    writeFileSync(template, format === 'xero' ? codes : 'gain = income:gains\ncode.1510 = assets:coins\n');
    const name = `deep-${format}`;
    await out(name, '--format', format, '--accounts', template, '--roll-up', 'month', '--period', '2024');
    const verify = () => endHere(['ledgers', 'verify', path(name), '--deep', '--json'], sandbox.env);
    const found = await verify();
    expect(found.error).toBeUndefined();
    expect(JSON.parse(found.stdout)).toMatchObject({ verified: true, compared: 'contents', format });
    const file = format === 'xero' ? join(path(name), 'journal-USD-1-of-1.csv') : path(name);
    writeFileSync(file, readFileSync(file, 'utf8').replace('1', '2'));
    expect((await verify()).error).toMatchObject({ code: 'FILE_CHANGED' });
  },
);

test('a template renames accounts, and the export reports a template entry that no leg matches', async () => {
  writeFileSync(
    path('names.txt'),
    'holdings = assets:{walletId}:{symbol}\nlabel.Stakng = income:x\ncode.6810 = costs:fees\n',
  );
  const { stderr } = await out('names.journal', '--accounts', path('names.txt'), '--period', '2024');
  const text = readFileSync(path('names.journal'), 'utf8');
  expect(text).toMatch(/^ {4}assets:wal_\w+:ETH +-?[0-9.]+ "ETH"$/m);
  expect(text).toMatch(/^ {4}costs:fees +[0-9.]+ "USD"$/m);
  expect(stderr).toContain('No leg matches these template entries: label.Stakng.');
});

test('an export lists the template entries that account codes of the service override, and suggests "codes = ignore"', async () => {
  const coded = await createSandbox({ rows: 80 });
  try {
    const read = await runHere(['ledgers', 'list', '--all', '--json'], coded.env);
    const legs: Record<string, string | null>[] = JSON.parse(read.stdout);
    const fields = { debitCoaCode: '1510', creditCoaCode: '6400' };
    for (const { id } of legs) coded.ledgers.edit(String(id), fields);
    const label = legs.find(({ type, label }) => type === 'incoming' && label !== null)?.['label'];
    // Remove the codes and values of a leg, so that the leg uses no account for values.
    const outgoing = legs.find(({ type }) => type === 'outgoing')?.['id'];
    const none = { costbasis: null, proceeds: null, profit: null };
    coded.ledgers.edit(String(outgoing), { debitCoaCode: null, creditCoaCode: null, ...none });
    const replaced = [
      'book',
      'fee',
      'incoming',
      'outgoing',
      'trade',
      'transfer',
      'unlabelled',
      `label.${label}`,
    ];
    const template = [...replaced, 'holdings', 'gain', 'label.None', 'code.9'].map(
      (key) => `${key} = equity:${key.replace('.', ' ')}`,
    );
    const notes = async (...lines: string[]) => {
      writeFileSync(path('coded.txt'), lines.join('\n'));
      const args = [
        'ledgers',
        'export',
        '--out',
        path('coded.journal'),
        '--accounts',
        path('coded.txt'),
        '--overwrite',
        '-o',
        'table',
      ];
      return (await runHere(args, coded.env)).stderr;
    };
    const before = await notes(...template);
    const listed =
      /have no effect, because the legs have account codes from the service: (.*)\. The legs are posted to the accounts of these codes\. To ignore the codes, add the line "codes = ignore"/.exec(
        before,
      )?.[1];
    expect(listed?.split(', ')).toEqual(expect.arrayContaining(['book', 'fee', 'trade', 'outgoing']));
    expect(replaced).toEqual(expect.arrayContaining(listed?.split(', ') ?? []));
    // This warning comes before the other notes, because the journal does not post to the accounts of the template.
    expect(before).toContain('warning: These template entries have no effect, because the legs have');
    expect(before.indexOf('These template entries have no effect')).toBeLessThan(before.indexOf('Journal: '));
    expect(manifestOf('coded.journal').journal.replacedAccounts).toEqual(listed?.split(', '));
    expect(before).toContain('No leg matches these template entries: label.None, code.9.');
    expect(before).toContain('are named coa:CODE, which is not under assets');
    const after = await notes(...template, 'code.1510 = assets:coins', 'codes = ignore');
    expect(after).toContain(
      'have no effect, because the template has the line "codes = ignore": code.9, code.1510. To use the codes, remove this line.',
    );
    expect(after).toContain('No leg matches these template entries: label.None.');
    expect(after).not.toMatch(/account codes from the service|coa:CODE/);
    expect(manifestOf('coded.journal').journal.ignoredAccounts).toEqual(['code.9', 'code.1510']);
    expect(await notes('code = equity:coa:{code}')).not.toContain('coa:CODE');
  } finally {
    await coded.close();
  }
});

describe('an export lists the account codes of the service that the template does not map', () => {
  const leg = (id: string, type: string, debitCoaCode: string, more: object) => ({
    ...{ id, transactionId: id, type, quantity: '1', timestamp: Date.UTC(2025, 0, 2), walletId: 'w1' },
    ...{
      assetId: 'a',
      asset: { symbol: 'ETH' },
      label: 'Income',
      baseCurrency: 'EUR',
      debitCoaCode,
      ...more,
    },
  });
  const books = createSandbox({
    data: {
      ledgers: [
        leg('in1', 'incoming', '1510', { creditCoaCode: '4300', marketPrice: 100, value: 100 }),
        leg('in2', 'incoming', '1510', { creditCoaCode: '4300', marketPrice: 0.5, value: 0.5 }),
        leg('in3', 'incoming', '1200', {
          ...{ creditCoaCode: '4400', marketPrice: 7, value: 7, baseCurrency: 'USD' },
        }),
        leg('in5', 'incoming', '1510', {
          ...{ creditCoaCode: '4300', marketPrice: 9, value: 9, baseCurrency: 'CHF' },
        }),
        leg('out', 'outgoing', '4300', {
          ...{ creditCoaCode: '1510', costbasis: '9', proceeds: '9', profit: '0', baseCurrency: 'CHF' },
        }),
        leg('in4', 'incoming', '1510', {
          ...{ creditCoaCode: '4300', marketPrice: 3, value: 3, baseCurrency: 'USD' },
        }),
      ],
    },
  });
  afterAll(async () => (await books).close());
  const write = async (format: string, template: string) => {
    const name = `codes-${format}`;
    writeFileSync(path('template.txt'), template);
    const flags = [
      '--format',
      format,
      '--out',
      path(name),
      '--overwrite',
      '--accounts',
      path('template.txt'),
    ];
    const { stderr } = await runHere(['ledgers', 'export', ...flags, '-o', 'table'], (await books).env);
    return { stderr, unmapped: manifestOf(name).journal.unmappedCodes };
  };
  const UNMAPPED = [
    { code: '1510', lines: 5, amounts: { EUR: '100.5', USD: '3', CHF: '0' } },
    { code: '4300', lines: 5, amounts: { EUR: '-100.5', USD: '-3', CHF: '0' } },
    { code: '4400', lines: 1, amounts: { USD: '-7' } },
  ];

  test.each([
    ['xero', codes],
    ['sage', codes],
    ['quickbooks', codes],
    ['hledger', 'code.1200 = assets:coins'],
    ['ledger', 'code.1200 = assets:coins'],
    ['beancount', 'code.1200 = Assets:Coins'],
  ])('%s', async (format, template) => {
    const { stderr, unmapped } = await write(format, template);
    expect(unmapped).toEqual(UNMAPPED);
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      '3 account codes of the service are used unchanged, because --accounts does not map them: 1510 (5 lines, 100.5 EUR, 3 USD, 0 CHF), 4300 (5 lines, -100.5 EUR, -3 USD, 0 CHF), 4400 (1 line, -7 USD).',
    );
  });

  test('without codes that are mapped or ignored', async () => {
    const all = ['code.1510 = 1200', 'code.4300 = 4000'];
    expect((await write('xero', `${codes}\n${all.join('\n')}`)).unmapped).toEqual(UNMAPPED.slice(2));
    for (const line of ['codes = ignore', 'code = 1200', 'code = {code}']) {
      const { stderr, unmapped } = await write('xero', `${codes}\n${line}`);
      expect([unmapped, stderr]).toEqual([[], expect.not.stringContaining('used unchanged')]);
    }
  });
});

test('only unknown own wallets cause the warning that transfers may be posted as income or expenses', async () => {
  const own = await createSandbox({ rows: 40 });
  try {
    const read = await runHere(['ledgers', 'list', '--all', '--json'], own.env);
    const leg = JSON.parse(read.stdout).find(({ type }: { type: string }) => type === 'outgoing');
    const warning =
      /Transfers to own wallets may be posted as income or expenses: (.*) without legs in the journal, and /;
    const warned = async () => {
      const args = ['ledgers', 'export', '--out', path('others.journal'), '--overwrite'];
      return warning.exec((await endHere(args, own.env)).stderr)?.[1];
    };
    expect(await warned()).toBeUndefined();
    own.ledgers.edit(leg.id, { toAccount: { provider: 'p', walletId: 'wal_elsewhere' } });
    expect(await warned()).toBeUndefined();
    own.faults.add('403:/v1/integrations');
    expect(await warned()).toBe('1 leg refers to a wallet');
  } finally {
    await own.close();
  }
});

test('a Xero export folder has one currency per file, and lists every file in its manifest', async () => {
  writeFileSync(path('codes.txt'), codes);
  const { stdout, stderr } = await out('parts', '--format', 'xero', '--accounts', path('codes.txt'));
  const { files, lines, journal } = manifestOf('parts');
  const names = files.map((file: { path: string }) => file.path);
  const parts = names.filter((name: string) => name.startsWith('journal-USD-'));
  expect(parts.length).toBeGreaterThan(5);
  for (const name of parts)
    expect(name).toMatch(new RegExp(`^journal-USD-\\d\\d?-of-${parts.length}\\.csv$`));
  expect(readdirSync(path('parts')).sort()).toEqual(['_cryptodata.json', ...names].sort());
  expect(JSON.parse(stdout).files).toBe(files.length);
  expect(lines).toBe(journal.lines + journal.incomplete.legs);
  expect(stderr).toMatch(/Rounding: -?[0-9.]+ USD from \d+ entries is in the rounding account/);
});

describe('a transaction with legs on both sides of the end of the period', () => {
  const END = Date.UTC(2025, 1, 1);
  const eur = (id: string, type: string, timestamp: number, more: object) =>
    JSON.stringify({
      ...{ id, transactionId: 'ref', type, timestamp, walletId: 'w1', baseCurrency: 'EUR', label: 'Trade' },
      ...{
        asset: { symbol: 'EUR', type: 'fiat' },
        assetId: 'ast_eur',
        quantity: '1000',
        value: 1000,
        ...more,
      },
    });
  const figures = { costbasis: '1000', proceeds: '1000', profit: '0' };
  const books = createSandbox({
    data: {
      ledgers: [
        eur('k1', 'outgoing', END - 2, figures),
        eur('k2', 'incoming', END + 3, { assetId: 'ast_btc', asset: { symbol: 'BTC' }, quantity: '0.01' }),
        eur('late', 'incoming', END + 86_400_000, { transactionId: 'late' }),
      ],
    },
  });
  afterAll(async () => (await books).close());
  const write = async (period: string) => {
    const file = path(`${period}.journal`);
    const args = ['--period', period, '--tz', 'UTC', '--out', file, '--overwrite', '--json'];
    const { stderr } = await runHere(['ledgers', 'export', ...args], (await books).env);
    const clearing = [...readFileSync(file, 'utf8').matchAll(/^ +equity:clearing +(\S+) "EUR"$/gm)];
    return { file, stderr, clearing: clearing.map(([, amount]) => amount) };
  };

  test('the journal of each period lists a transaction across the end of the period with its clearing balance', async () => {
    const first = await write('2025-01');
    expect(first.clearing).toEqual(['1000']);
    expect(first.stderr).toContain(
      'The balance of the clearing account is 1000 EUR: 1 transaction has legs outside the period: ref (1000 EUR).',
    );
    const second = await write('2025-02');
    expect(second.clearing).toEqual(['-1000']);
    expect(second.stderr).toContain('ref (-1000 EUR)');
    expect(manifestOf('2025-01.journal').journal).toMatchObject({
      legs: 1,
      clearing: { holds: { EUR: '1000' }, transactions: 1, first: [{ id: 'ref', holds: { EUR: '1000' } }] },
    });
  });

  test('a journal of two periods leaves no clearing balance for a transaction between them', async () => {
    const { clearing, stderr } = await write('2025');
    expect(clearing).toEqual(['1000', '-1000']);
    expect(stderr).not.toContain('clearing account');
  });

  test('"ledgers verify --deep" verifies a journal with a transaction that crosses the start of the period', async () => {
    await write('2025-02');
    const verify = ['ledgers', 'verify', path('2025-02.journal'), '--deep', '--json'];
    expect(JSON.parse((await endHere(verify, (await books).env)).stdout)).toMatchObject({ verified: true });
  });
});

describe('a journal export is rejected', () => {
  test.each([
    [
      'xero',
      '',
      'book = assets:book:{wallet}, incoming = income:{label}, outgoing = expenses:{label}, and 8 more',
    ],
    [
      'sage',
      'book = 123456789',
      'book = 123456789, incoming = income:{label}, outgoing = expenses:{label}, and 8 more',
    ],
    ['xero', `${codes}code = equity:coa:{code}`, 'code = equity:coa:{code}'],
  ])('for %s if accounts have names instead of codes (template: %j)', async (format, template, names) => {
    writeFileSync(path('wrong.txt'), template);
    await expect(out('wrong', '--format', format, '--accounts', path('wrong.txt'))).rejects.toMatchObject({
      code: 'BAD_ACCOUNTS',
      message: expect.stringContaining(`, but the journal has ${names}`),
    });
    expect(readdirSync(directory)).not.toContain('wrong');
  });

  test.each<[string, string[], string]>([
    ['with --columns', ['--columns', 'id'], 'NOT_FOR_JOURNALS'],
    ['with --sum-by', ['--sum-by', 'asset'], 'NOT_FOR_JOURNALS'],
    ['with --csv-guard', ['--csv-guard', 'off'], 'NOT_FOR_JOURNALS'],
    ['with --separator', ['--separator', 'tab'], 'NOT_FOR_JOURNALS'],
    ['with only some types of legs', ['--types', 'incoming'], 'PARTIAL_JOURNAL'],
    ['with only one asset', ['--asset', 'ETH'], 'PARTIAL_JOURNAL'],
    ['with another parameter', ['-q', 'foo=1'], 'PARTIAL_JOURNAL'],
    ['with a template that does not exist', ['--accounts', '/nonexistent'], 'CANNOT_READ'],
  ])('%s', async (_, args, code) => {
    await expect(out('refused.journal', ...args)).rejects.toMatchObject({ code });
    expect(readdirSync(directory)).not.toContain('refused.journal');
  });

  test.each<[string, string[], string]>([
    ['to stdout as a folder', ['ledgers', 'export', '--out', '-', '--format', 'xero'], 'NO_FOLDER'],
    [
      'with --roll-up as CSV',
      ['ledgers', 'export', '--out', path('x.csv'), '--roll-up', 'day'],
      'NOT_A_JOURNAL',
    ],
    ['of transactions', ['txns', 'export', '--out', path('x.journal')], 'NOT_A_JOURNAL'],
  ])('%s', async (_, args, code) => {
    await expect(runHere(args, sandbox.env)).rejects.toMatchObject({ code });
  });

  test('if Beancount does not allow the account names', async () => {
    writeFileSync(path('roots.txt'), 'fee = costs:fees\n');
    await expect(out('roots.beancount', '--accounts', path('roots.txt'))).rejects.toMatchObject({
      code: 'BAD_ACCOUNTS',
      message: expect.stringContaining('The account name for "fee"'),
    });
  });
});

test('the templates in docs/journals.md are valid and cover every account', async () => {
  const template = templateIn('accounts.txt');
  writeFileSync(path('docs.txt'), template);
  const { ACCOUNTS } = await import('../../src/books/journal/entry.ts');
  for (const role of Object.keys(ACCOUNTS)) expect(template).toMatch(new RegExp(`^${role} +=`, 'm'));
  for (const name of ['docs.journal', 'docs.beancount']) {
    await out(name, '--accounts', path('docs.txt'), '--period', '2024');
  }
  writeFileSync(path('codes.txt'), codes);
  expect(template).toMatch(/^codes +=/m);
  const { length } = Object.keys(ACCOUNTS);
  // These accounts need no code: importers use no quantities, and by default a code of the service is the account itself.
  const unused = ['holdings', 'contra', 'opening', 'code'];
  const inCodes = Object.keys(ACCOUNTS).filter((role) => new RegExp(`^${role} +=`, 'm').test(codes));
  expect(inCodes).toHaveLength(length - unused.length);
  for (const format of ['xero', 'sage']) {
    const { stderr } = await out(`docs-${format}`, '--format', format, '--accounts', path('codes.txt'));
    expect(stderr).not.toContain('default name');
    // The two ways to use account codes that differ from the codes of the service.
    for (const way of ['code.1510 = 1200', 'codes = ignore']) {
      expect(codes).toContain(`\n# ${way}\n`);
      writeFileSync(path('codes.txt'), codes.replace(`# ${way}`, way));
      await out(`docs-${format}`, '--overwrite', '--format', format, '--accounts', path('codes.txt'));
    }
    writeFileSync(path('codes.txt'), codes);
  }
});
