import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { Chart, parseTemplate } from '../../src/books/journal/chart.ts';
import { Journal } from '../../src/books/journal/journal.ts';
import { plainAmount } from '../../src/books/journal/post.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { showText } from '../../src/core/text.ts';
import { asServed } from '../../src/formats/columns.ts';
import type { Layout } from '../../src/formats/format.ts';
import { beancount } from '../../src/formats/journal/beancount.ts';
import { hledger } from '../../src/formats/journal/hledger.ts';
import { Names } from '../../src/formats/journal/names.ts';
import { type ExportFormat, exportedFormat } from '../../src/formats/registry.ts';
import { unguardCell } from '../../src/formats/text.ts';
import {
  addScaled,
  entriesOf,
  HOSTILE,
  hostileLegs,
  itemsOf,
  newJournal,
  problemsOf,
  quantitiesOf,
  scaled,
  withoutZeros,
} from '../books/journal-legs.ts';
import { needs } from '../needs.ts';
import { runs } from '../runs.ts';
import { check, holdings, PLAIN_TEXT, PROGRAMS, readBack, redated } from './journal-tools.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-journal-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Joins several random sets of hostile legs, so that every hostile name occurs, and every field is sometimes missing. */
function hostileBooks(seed: number): JsonRecord[] {
  return fc.sample(hostileLegs, { seed, numRuns: runs(40, 4) }).flatMap((legs, book) =>
    legs.map((leg) => ({
      ...leg,
      id: `${book}_${String(leg['id'])}`,
      transactionId: `${book}_${String(leg['transactionId'])}`,
      timestamp: typeof leg['timestamp'] === 'number' ? leg['timestamp'] + book * 71 * 86_400_000 : null,
    })),
  );
}

function layoutOf(format: ExportFormat, journal: Journal, tax?: string): Layout {
  return {
    ...{ format: exportedFormat(format), columns: [], known: [], shape: asServed, whole: true },
    ...{ view: { timeZone: 'UTC' }, guard: true, dialect: 'plain' },
    ...{ parquetDecimals: 'decimal', parquetNumbers: 'string' },
    journal: { begin: () => journal, tax, facts: () => ({}) },
  };
}

/** A template with a code for each account, because Xero and Sage accept no names. */
const CODES = parseTemplate(
  'book=1200\nincoming=4000\noutgoing=5000\nfee=5010\ngain=4010\ntrade=1210\ntransfer=1220\nclearing=1230\nunlabelled=9998\nsuspense=9999\nrounding=8000\n',
  'codes.txt',
);

function journalFor(format: ExportFormat, rollUp?: 'month'): Journal {
  const { code, longestCode } = exportedFormat(format).file.journal ?? {};
  return newJournal({ rollUp, code, ...(longestCode === undefined ? {} : { template: CODES }) });
}

async function write(
  format: ExportFormat,
  legs: readonly JsonRecord[],
  journal = journalFor(format),
): Promise<string> {
  const chunks: Uint8Array[] = [];
  const sink = { write: async (bytes: Uint8Array) => void chunks.push(Uint8Array.from(bytes)) };
  const layout = layoutOf(format, journal);
  const file = await layout.format.file.open(sink, layout);
  for (const leg of legs) await file.add(leg);
  await file.finish([['Period', 'all']]);
  const path = join(directory, `${format}-${Math.random()}${layout.format.file.extensions[0]}`);
  writeFileSync(path, Buffer.concat(chunks));
  return path;
}

/** The total quantity of each asset. Asset names are escaped, as in a journal. */
function expectedHoldings(legs: readonly JsonRecord[]): Map<string, bigint> {
  const shown = (name: string) => Buffer.from(showText(name)).toString();
  return new Map([...withoutZeros(quantitiesOf(legs))].map(([name, sum]) => [shown(name), sum]));
}

describe.skipIf(!needs(...PROGRAMS))('a plain-text journal', () => {
  const books = [1, 2, 3].map(hostileBooks);

  test.each(PLAIN_TEXT)(
    '%s accepts the journal and computes the exact balance of every asset',
    async (tool) => {
      for (const legs of books) {
        const file = await write(tool, legs);
        check(tool, file);
        expect(redated(tool, file)).toEqual([]);
        const expected = expectedHoldings(legs);
        expect(expected.size).toBeGreaterThan(20);
        expect(holdings(tool, file)).toEqual(expected);
      }
    },
  );

  test.each(PLAIN_TEXT)(
    '%s computes the same balances if the journal is rolled up by month',
    async (tool) => {
      const [legs = []] = books;
      const file = await write(tool, legs, journalFor(tool, 'month'));
      check(tool, file);
      expect(holdings(tool, file)).toEqual(expectedHoldings(legs));
    },
  );

  test.each(PLAIN_TEXT)('the journal for %s lists each incomplete leg', async (tool) => {
    const [legs = []] = books;
    const journal = journalFor(tool);
    const text = readFileSync(await write(tool, legs, journal), 'utf8');
    const listed = text.match(/^; Incomplete \((in suspense|posted|not posted)\): leg /gm) ?? [];
    expect(listed).toHaveLength(journal.summary.problemLegs);
    expect(text).toContain(`; Legs not posted: ${journal.summary.legsIn('none')}\n`);
    expect(journal.summary.legsIn('none')).toBeGreaterThan(0);
  });

  test.each(PLAIN_TEXT)('a journal without legs is valid for %s', async (tool) => {
    check(tool, await write(tool, []));
  });
});

describe('names in a journal', () => {
  test.each([
    ['hledger', hledger],
    ['beancount', beancount],
  ] as const)('different assets always get different names in a journal for %s', (_, dialect) => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...HOSTILE))),
        (symbols) => {
          const names = new Names(
            (symbol) => dialect.fitCommodity(symbol),
            (name, hash) => dialect.joinCommodity(name, hash),
          );
          const given = symbols.map((symbol) => names.of(`asset:${symbol}`, symbol).name);
          expect(new Set(given).size).toBe(symbols.length);
          const form = dialect === beancount ? /^[A-Z][A-Z0-9'._-]{0,22}[A-Z0-9]$/ : /^"[^"\n;]+"$/;
          for (const name of given) expect(name).toMatch(form);
        },
      ),
    );
  });

  test('a journal keeps the names of ordinary assets and wallets recognisable', () => {
    expect(hledger.fitCommodity('LP-0x8f3c').text).toBe('"LP-0x8f3c"');
    expect(hledger.fitSegment('Kraken main', 2)).toEqual({ text: 'Kraken main', isFaithful: true });
    expect(beancount.fitCommodity('stETH')).toEqual({ text: 'STETH', isFaithful: true });
    expect(beancount.fitSegment('Kraken main', 2)).toEqual({ text: 'Kraken-main', isFaithful: true });
    expect(beancount.fitSegment('assets', 0).text).toBe('Assets');
  });

  test('a journal gives assets with the same symbol different names, and comments with their ids', async () => {
    const leg = (id: string, assetId: string) => ({
      ...{ id, transactionId: id, type: 'incoming', quantity: '1', value: 1, baseCurrency: 'EUR' },
      ...{ assetId, asset: { symbol: 'USDC' }, walletId: 'wal_1', timestamp: 0, label: 'x' },
    });
    const journal = newJournal();
    const text = readFileSync(
      await write('hledger', [leg('a', 'ast_1'), leg('b', 'ast_2')], journal),
      'utf8',
    );
    expect(text).toMatch(/^commodity 1\. "USDC"\n {2}; symbol: USDC\n {2}; asset: ast_1$/m);
    expect(text).toMatch(/^commodity 1\. "USDC-\w{8}"\n {2}; symbol: USDC\n {2}; asset: ast_2$/m);
    expect(journal.summary.notes).toEqual([
      expect.stringMatching(/^Several assets have the symbol USDC: ast_2 is written as "USDC-\w{8}"$/),
    ]);
  });

  test('a journal gives wallets separate accounts if beancount cannot tell their names apart', async () => {
    const leg = (id: string, walletId: string) => ({
      ...{ id, transactionId: id, type: 'incoming', quantity: '1', value: 1, baseCurrency: 'EUR' },
      ...{ assetId: 'a', asset: { symbol: 'BTC' }, walletId, timestamp: 0, label: 'x' },
    });
    const text = readFileSync(
      await write(
        'beancount',
        ['wal_1', 'wal_2', 'wal_3'].map((id) => leg(id, id)),
      ),
      'utf8',
    );
    const opened = text.match(/^1970-01-01 open Assets:Holdings:.*$/gm) ?? [];
    expect(new Set(opened).size).toBe(3);
  });

  test('prints a note if an amount exceeds the precision of beancount', async () => {
    const journal = newJournal();
    const long = {
      ...{ id: 'a', transactionId: 'a', type: 'incoming', quantity: `1${'0'.repeat(20)}.123456789012345678` },
      ...{
        value: 1,
        baseCurrency: 'EUR',
        assetId: 'a',
        asset: { symbol: 'PEPE' },
        walletId: 'w',
        timestamp: 0,
        label: 'x',
      },
    };
    expect(readFileSync(await write('beancount', [long], journal), 'utf8')).toContain(
      ` ${long.quantity} PEPE\n`,
    );
    expect(journal.summary.notes).toEqual([expect.stringContaining('computes with only 28 digits')]);
  });
});

const RULES = {
  xero: 'skip 1\nfields narration,date,description,account1,tax,amount1\ndate-format %d %b %Y\naccount2 other\n',
  quickbooks:
    'skip 1\nfields number,date,account1,amount1-in,amount1-out,description\ndate-format %m/%d/%Y\naccount2 other\n',
  sage: 'skip 1\nfields kind,reference,account1,department,date,code,description,net,taxcode,tax\ndate-format %d/%m/%Y\naccount2 other\namount1 %net\nif %kind JC\n amount1 -%net\n',
} as const;
const IMPORTERS = ['xero', 'quickbooks', 'sage'] as const;

/** Returns legs with ordinary names, because hledger uses the text of a CSV cell unchanged as an account name. */
function plainBooks(seed: number): JsonRecord[] {
  return hostileBooks(seed).map((leg) => ({
    ...leg,
    walletId: leg['walletId'] === null ? null : 'wal_1',
    label: leg['label'] === 'Staking' ? 'Staking' : null,
    baseCurrency: leg['baseCurrency'] === 'EUR' ? 'EUR' : leg['baseCurrency'] === null ? null : 'USD',
  }));
}

async function writeFolder(
  format: (typeof IMPORTERS)[number],
  legs: readonly JsonRecord[],
  journal = journalFor(format),
): Promise<{ path: string; files: readonly { path: string; rows: number }[] }> {
  const path = join(directory, `${format}-${Math.random()}`);
  const layout = layoutOf(format, journal);
  const folder = await layout.format.file.openFolder?.(path, layout);
  if (!folder) throw new Error(`${format} has no folder`);
  try {
    for (const leg of legs) await folder.add(leg);
    await folder.finish();
  } finally {
    await folder.discard();
  }
  return { path, files: folder.files() };
}

/**
 * Returns one sum of rounded values for each account, including the rounding account. Does not use the code of the writer.
 */
function expectedSums(legs: readonly JsonRecord[], currency: string, journal: Journal): Map<string, bigint> {
  const CENT = 10n ** 58n;
  const rounded = (sum: bigint) => {
    const size = sum < 0n ? -sum : sum;
    const cents = ((size + CENT / 2n) / CENT) * CENT;
    return sum < 0n ? -cents : cents;
  };
  const sums = new Map<string, bigint>();
  for (const { postings } of entriesOf(itemsOf(journal, legs))) {
    const exactSums = new Map<string, bigint>();
    for (const { kind, account, commodity, amount } of postings) {
      if (kind === 'value' && commodity.symbol === currency) {
        addScaled(exactSums, account.segments.join(':'), scaled(plainAmount(amount)));
      }
    }
    let residue = 0n;
    for (const [account, sum] of exactSums) {
      addScaled(sums, account, rounded(sum));
      residue -= rounded(sum);
    }
    addScaled(sums, journal.roundingAccount(currency).segments.join(':'), residue);
  }
  return withoutZeros(sums);
}

/** A trade and a payment, each with one leg in USD and one leg in EUR. Two other legs have no base currency. */
const MIXED: readonly JsonRecord[] = (
  [
    ['trade', 'incoming', 'ast_1', 'USD', '1.111'],
    ['trade', 'outgoing', 'ast_2', 'EUR', '2.222'],
    ['payment', 'outgoing', 'ast_1', 'USD', '3.333'],
    ['payment', 'outgoing', 'ast_1', 'EUR', '4.444'],
    ['unknown', 'incoming', 'ast_1', null, '5.555'],
    ['unknown', 'outgoing', 'ast_1', '', '6.666'],
  ] as const
).map(([transactionId, type, assetId, baseCurrency, amount], at) => ({
  ...{ id: `led_${at}`, transactionId, type, assetId, baseCurrency, quantity: '7' },
  ...{ asset: { symbol: assetId.toUpperCase() }, walletId: 'wal_1', timestamp: 0 },
  ...(type === 'incoming' ? { value: amount } : { costbasis: amount, proceeds: amount, profit: '0' }),
}));

/** Returns each format twice: without and with a roll-up. Each entry also has the word for the roll-up in test titles. */
const rolledUp = <F extends ExportFormat>(formats: readonly F[]) =>
  formats.flatMap((format) => [[format, 'none', undefined] as const, [format, 'month', 'month'] as const]);

describe('books in two base currencies', () => {
  test.each(rolledUp(PLAIN_TEXT))(
    'each entry of a journal for %s sums to zero in each currency (roll-up: %s)',
    async (format, _, rollUp) => {
      const text = readFileSync(await write(format, MIXED, journalFor(format, rollUp)), 'utf8');
      const entries = text.split('\n\n').map((entry) => {
        const values = [...entry.matchAll(/^ +(\S.*?) {2,}(-?[0-9.]+) "?(USD|EUR)"?$/gm)];
        const sums = new Map<string, bigint>();
        for (const [, , amount = '', currency = ''] of values) addScaled(sums, currency, scaled(amount));
        expect(withoutZeros(sums)).toEqual(new Map());
        return values.map(([, , amount, currency]) => `${amount} ${currency}`);
      });
      const amounts = entries.flat();
      for (const amount of ['1.111 USD', '-2.222 EUR', '-3.333 USD', '-4.444 EUR'])
        if (rollUp === undefined) expect(amounts).toContain(amount);
      if (rollUp) expect(amounts).toEqual(expect.arrayContaining(['-2.222 USD', '-6.666 EUR']));
      expect(amounts.join()).not.toMatch(/5\.555|12\.221|8\.888/);
    },
  );

  test.each(rolledUp(IMPORTERS))(
    'books in two currencies become one balanced file per currency for %s (roll-up: %s)',
    async (format, _, rollUp) => {
      const journal = journalFor(format, rollUp);
      const { path, files } = await writeFolder(format, MIXED, journal);
      expect(files.map((file) => file.path)).toEqual([
        'journal-EUR-1-of-1.csv',
        'journal-USD-1-of-1.csv',
        'suspense.csv',
      ]);
      const amountsIn = (currency: string) =>
        readFileSync(join(path, `journal-${currency}-1-of-1.csv`), 'utf8')
          .trimEnd()
          .split('\n')
          .slice(1)
          .map((line) => signedAmountOf(format, line.split(',')));
      const sumOf = (amounts: readonly string[]) => amounts.reduce((sum, amount) => sum + scaled(amount), 0n);
      const [euros, dollars] = [amountsIn('EUR'), amountsIn('USD')];
      expect([sumOf(euros), sumOf(dollars)]).toEqual([0n, 0n]);
      const [inEuros, inDollars] = rollUp
        ? [
            ['2.22', '4.44', '-6.67'],
            ['-1.11', '3.33', '-2.22'],
          ]
        : [
            ['2.22', '-2.22', '4.44', '-4.44'],
            ['1.11', '-1.11', '3.33', '-3.33'],
          ];
      expect(euros).toEqual(expect.arrayContaining(inEuros));
      expect(dollars).toEqual(expect.arrayContaining(inDollars));
      expect(readFileSync(join(path, 'suspense.csv'), 'utf8').match(/no-currency/g)).toHaveLength(2);
      expect(journal.summary.notes).toEqual([
        ...(rollUp ? [] : ['1 entry is not in the files, because no value is known or every value is zero']),
        'The folder has values in EUR, USD. The importer cannot detect the currency of a file, so import each file only into books in the same currency',
      ]);
    },
  );
});

function signedAmountOf(format: (typeof IMPORTERS)[number], cells: readonly string[]): string {
  if (format === 'xero') return cells.at(-1) ?? '';
  if (format === 'sage') return `${cells[0] === 'JC' ? '-' : ''}${cells.at(-3)}`;
  return cells[3] || `-${cells[4]}`;
}

describe.skipIf(!needs('hledger'))('files for importers', () => {
  const rulesOf = (format: (typeof IMPORTERS)[number]) => {
    const path = join(directory, `${format}.rules`);
    writeFileSync(path, RULES[format]);
    return path;
  };

  test.each(rolledUp(IMPORTERS))(
    'hledger computes the expected sums from the files for %s (roll-up: %s)',
    async (format, _, rollUp) => {
      const legs = plainBooks(7);
      const journal = journalFor(format, rollUp);
      const { path, files } = await writeFolder(format, legs, journal);
      for (const currency of ['USD', 'EUR']) {
        const sums = new Map<string, bigint>();
        const parts = files.filter((file) => file.path.startsWith(`journal-${currency}-`));
        expect(parts.length).toBeGreaterThan(0);
        for (const part of parts) {
          for (const [account, sum] of readBack(join(path, part.path), rulesOf(format))) {
            // The rules post each line a second time, to the account `other`. The sum of this account must be zero.
            addScaled(sums, account, sum);
          }
        }
        expect(withoutZeros(sums)).toEqual(expectedSums(legs, currency, journalFor(format, rollUp)));
        const rounding = journal.roundingAccount(currency).segments.join(':');
        expect(scaled(journal.summary.roundings[currency]?.sum ?? '0')).toBe(sums.get(rounding) ?? 0n);
      }
    },
  );

  test('suspense.csv lists every incomplete leg', async () => {
    const journal = newJournal();
    const { path, files } = await writeFolder('quickbooks', plainBooks(8), journal);
    const listing = files.find((file) => file.path === 'suspense.csv');
    expect(listing?.rows).toBe(journal.summary.problemLegs);
    const [head, ...rows]: string[][] = parse(readFileSync(join(path, 'suspense.csv'), 'utf8'));
    expect(head).toEqual(['date', 'transaction', 'leg', 'contents', 'place', 'reasons']);
    const problems = problemsOf(itemsOf(newJournal(), plainBooks(8)));
    expect(problems.length).toBeGreaterThan(5);
    expect(rows.map(([, , leg = '']) => unguardCell(leg)).sort()).toEqual(
      problems.map(({ legId }) => legId).sort(),
    );
    for (const [, , , , place, reasons] of rows) {
      expect(`${place}: ${reasons}`).toMatch(/^(in suspense|posted|not posted): [a-z -]+$/);
    }
  });
});

const NO_FIGURES = { costbasis: '0', proceeds: '0', profit: '0' };

describe('files for Xero', () => {
  const legs = (transactions: number): JsonRecord[] =>
    Array.from({ length: transactions }, (_, index) => ({
      ...{
        id: `l${index}`,
        transactionId: `t${index}`,
        type: 'outgoing',
        quantity: '1',
        baseCurrency: 'USD',
      },
      ...{ costbasis: '1', proceeds: '1.255', profit: '0.255', walletId: 'wal_1', label: 'Payment' },
      ...{ assetId: 'ast', asset: { symbol: 'BTC' }, timestamp: Date.UTC(2025, 2, 31) + index },
    }));

  test('files for Xero have at most 300 lines including the header, and no entry spans two files', async () => {
    const { path, files } = await writeFolder('xero', legs(150));
    const numbers = files.map((file) =>
      /^journal-USD-(\d)-of-(\d)\.csv$/.exec(file.path)?.slice(1).map(Number),
    );
    expect(numbers).toEqual(files.map((_, index) => [index + 1, files.length]));
    expect(files.length).toBeGreaterThan(1);
    const seen = new Set<string>();
    for (const file of files) {
      const lines = readFileSync(join(path, file.path), 'utf8').trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(300);
      expect(lines[0]).toBe('*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount');
      const narrations = new Set(lines.slice(1).map((line) => line.split(',')[0] ?? ''));
      for (const narration of narrations) {
        expect(seen.has(narration)).toBe(false);
        seen.add(narration);
      }
    }
    expect(seen.size).toBe(150);
  });

  test.each(IMPORTERS)('no cell of a file for %s has a line break', async (format) => {
    const [leg = {}] = legs(1);
    const broken = { label: 'a\nb', description: 'c\r\nd', asset: { symbol: 'B\nTC' } };
    const { path } = await writeFolder(format, [{ ...leg, ...broken }]);
    const lines = readFileSync(join(path, 'journal-USD-1-of-1.csv'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    for (const line of lines.slice(1)) expect(line).toMatch(/a b, c d.*1 B TC/);
  });

  test('amounts for Xero are rounded to cents, and half a cent is rounded away from zero', async () => {
    const { path } = await writeFolder('xero', legs(1));
    expect(readFileSync(join(path, 'journal-USD-1-of-1.csv'), 'utf8').split('\n').slice(1, -1)).toEqual([
      'Payment (t0),31 Mar 2025,1 BTC,1200,Tax Exempt,-1.00',
      'Payment (t0),31 Mar 2025,1 BTC,5000,Tax Exempt,1.26',
      'Payment (t0),31 Mar 2025,1 BTC,4010,Tax Exempt,-0.26',
    ]);
  });

  test('files for Xero contain the tax rate from the template', async () => {
    const journal = new Journal({
      chart: new Chart(CODES),
      walletName: (id) => id,
      dayOf: () => '2025-03-31',
    });
    const path = join(directory, 'taxed');
    const layout = layoutOf('xero', journal, 'No VAT');
    const folder = await layout.format.file.openFolder?.(path, layout);
    for (const leg of legs(1)) await folder?.add(leg);
    await folder?.finish();
    expect(readFileSync(join(path, 'journal-USD-1-of-1.csv'), 'utf8')).toContain(',No VAT,-1.00');
    expect(readdirSync(path)).toEqual(['_cryptodata.json', 'journal-USD-1-of-1.csv']);
  });

  test.each([undefined, 'month'] as const)(
    'lists a template entry as replaced only if no line of the journal uses it (--roll-up %s)',
    async (rollUp) => {
      const template = parseTemplate(
        'book=1200\nfee=5010\noutgoing=5000\nlabel.A=5000\nlabel.B=5002',
        'file',
      );
      const [leg] = legs(1);
      const codes = { debitCoaCode: '6400', creditCoaCode: '1510' };
      const given = async (...more: JsonRecord[]) => {
        const accounts = new Map([...CODES.accounts, ...template.accounts]);
        const chart = new Chart({ ...template, accounts }, { code: '{code}' });
        const dayOf = () => '2025-03-31';
        const journal = new Journal({ chart, walletName: (id) => id, dayOf, rollUp, valuesOnly: true });
        const all = more.map((one, at) => ({ ...leg, id: `l${at}`, transactionId: `t${at}`, ...one }));
        await writeFolder('xero', all, journal);
        return chart.without('replaced', journal.summary.names);
      };
      const coded = [
        { ...codes, label: 'A' },
        { ...codes, label: 'B' },
        { ...codes, label: '' },
      ];
      expect(await given(...coded)).toEqual(['book', 'unlabelled', 'label.A', 'label.B']);
      const unprocessed = { costbasis: null, proceeds: null, profit: null };
      const dust = { ...NO_FIGURES, proceeds: '0.004', profit: '0.004' };
      expect(await given(...coded, { label: 'A', ...unprocessed })).toContain('label.A');
      if (rollUp === undefined) expect(await given(...coded, { label: 'B', ...dust })).toContain('label.B');
      // If several template entries have one account name, their postings become one line, and each of these entries counts as
      // used.
      expect(await given(...coded, { label: 'C' }, { label: 'A' })).toEqual(['unlabelled', 'label.B']);
    },
  );

  test('files for Xero omit entries that are zero after rounding, and a note contains their number and sum', async () => {
    const journal = journalFor('xero');
    const dust = legs(1).map((leg) => ({ ...leg, costbasis: '0', proceeds: '0.004', profit: '0.004' }));
    const { files } = await writeFolder('xero', dust, journal);
    expect(files).toEqual([]);
    expect(journal.summary.notes).toEqual([
      '1 entry is not in the files, because every amount is zero after rounding; before rounding, the debits add up to 0.004 USD',
    ]);
    expect(journal.summary).toMatchObject({ entries: 0, lines: 0 });
  });

  test('the note about an omitted entry contains the reason: too small, amounts that cancel out, or no value', async () => {
    const notes = async (more: JsonRecord, pair: string) => {
      const journal = journalFor('xero');
      const sold = { ...legs(1)[0], transactionId: 't', ...more };
      const bought = { ...sold, id: 'b', type: 'incoming', value: more['proceeds'], ...NO_FIGURES };
      await writeFolder('xero', pair === 'both' ? [sold, bought] : [sold], journal);
      return journal.summary.notes;
    };
    const even = { costbasis: '5', proceeds: '5', profit: '0' };
    expect(await notes(even, 'both')).toEqual([
      '1 entry is not in the files, because the amounts of each account cancel out',
    ]);
    expect(await notes({ costbasis: '0', proceeds: '0', profit: '0' }, 'one')).toEqual([
      '1 entry is not in the files, because no value is known or every value is zero',
    ]);
  });

  test('a journal for Xero is rejected if an account is not a code', async () => {
    await expect(writeFolder('xero', legs(1), newJournal())).rejects.toMatchObject({
      code: 'BAD_ACCOUNTS',
      message:
        'Xero accepts only account codes of at most 10 characters, but the journal has "assets:book:Kraken main" (book)',
    });
  });

  test.each([
    ['JPY', '105', '-105'],
    ['KWD', '105.005', '-105.005'],
  ])('amounts in %s have the decimals of the currency', async (baseCurrency, debit, credit) => {
    const [leg = {}] = legs(1);
    const paid = { ...leg, baseCurrency, costbasis: '105.005', proceeds: '105.005', profit: '0' };
    const { path } = await writeFolder('xero', [paid]);
    const text = readFileSync(join(path, `journal-${baseCurrency}-1-of-1.csv`), 'utf8');
    expect(
      text
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(',').at(-1)),
    ).toEqual([credit, debit]);
  });

  test('a text that is too long for Sage is not cut inside a character', async () => {
    const [leg = {}] = legs(1);
    const { path } = await writeFolder('sage', [{ ...leg, label: 'x', description: `ab${'🎁'.repeat(99)}` }]);
    const text = readFileSync(join(path, 'journal-USD-1-of-1.csv'), 'utf8');
    expect(text).toContain('🎁');
    expect(text).not.toMatch(/\\ud83c|\ufffd/);
  });

  test('control characters are not escaped twice', async () => {
    const [leg = {}] = legs(1);
    const { path } = await writeFolder('xero', [{ ...leg, description: 'a\u001bb', label: 'x' }]);
    const text = readFileSync(join(path, 'journal-USD-1-of-1.csv'), 'utf8');
    expect(text).toContain('x, a\\u001bb (t0)');
    expect(text).not.toContain('\\\\u001b');
  });
});
