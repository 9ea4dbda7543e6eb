import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SEVERITIES } from '../../../src/books/audit/check.ts';
import { CHECK_NAMES, checkNamed } from '../../../src/books/audit/checks/index.ts';
import { STATUSES } from '../../../src/books/audit/findings.ts';
import { cutText, html } from '../../../src/formats/report/html.ts';
import { moneyText, prose, quantityText } from '../../../src/formats/report/parts.ts';
import { legOf, pageOf, reportOf } from './page.ts';

const NEGATIVE = [
  legOf(0),
  legOf(1, { type: 'outgoing', quantity: '3', beforeBalance: '1', afterBalance: '-2', profit: null }),
];

describe('html', () => {
  test('html escapes every value, except the result of another html template', () => {
    expect(html`<p title="${`"'<&>`}">${['<b>', html`<i>${'<'}</i>`, 5, null, false]}</p>`.text).toBe(
      '<p title="&quot;&#39;&lt;&amp;&gt;">&lt;b&gt;<i>&lt;</i>5</p>',
    );
  });

  test('html escapes hostile characters, shortens long text, and shows the full length', () => {
    expect(html`${'a\u202eb\u001bc'}`.text).toBe('a\\u202eb\\u001bc');
    const { text } = html`${'x'.repeat(10_000)}`;
    expect(text).toBe(`${'x'.repeat(2000)}… (10,000 characters)`);
    expect(cutText('ab😀cd', 3)).toBe('ab… (6 characters)');
  });
});

test.each(CHECK_NAMES)('explains the check %s in plain words', (check) => {
  const { title, means, fix } = checkNamed(check);
  expect(title).not.toBe(check);
  for (const sentence of [means, fix]) expect(sentence).toMatch(/^[A-Z].*\.$/);
});

test("the content security policy allows only the page's own style sheet", async () => {
  const page = pageOf(await reportOf(NEGATIVE));
  const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(page).toContain(
    `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
  );
  expect(page).not.toMatch(/<script|<link|<img|<iframe|<form| style=| src=| on\w+=|@import|url\(/i);
  expect(page.match(/href="(?!#)/g)).toBeNull();
});

test('page 1 shows how many disposals may be transfers, and the sum of their known profits', async () => {
  const out = { type: 'outgoing', label: null, beforeBalance: null, afterBalance: null };
  const sentence = async (...profits: (string | null)[]) => {
    const legs = profits.map((profit, at) =>
      legOf(at * 2 + 1, { ...out, profit, proceeds: '5', costbasis: '3' }),
    );
    const page = pageOf(await reportOf(legs));
    expect(page).toContain(checkNamed('unmatched-transfer').title);
    return /The realised profit includes [^<]*/.exec(page)?.[0];
  };
  expect(await sentence('2')).toBe(
    'The realised profit includes 2.00 USD from 1 disposal without a label, or labelled as a deposit, withdrawal or transfer. It may be a transfer to an own wallet.',
  );
  expect(await sentence('2', null)).toMatch(
    /^The realised profit includes 2\.00 USD from 2 disposals without a label/,
  );
  expect(await sentence(null)).toMatch(
    /^The realised profit includes unknown USD from 1 disposal without a label/,
  );
});

test('the first page counts the checks by status, and counts each check once', async () => {
  const { checks } = await reportOf(NEGATIVE);
  const page = pageOf(
    await reportOf(NEGATIVE, {
      checks: checks.map((check, at) => ({ ...check, status: STATUSES[at % STATUSES.length] ?? 'passed' })),
    }),
  );
  const [, counted = ''] = /movements of one asset\): ([^.]*)\./.exec(page) ?? [];
  const numbers = counted.split(', ').map((part) => Number.parseInt(part, 10));
  expect(numbers).toHaveLength(STATUSES.length);
  expect(numbers.reduce((sum, number) => sum + number, 0)).toBe(checks.length);
});

test('in every table and chart title, the report shows the ids of two assets with one symbol', async () => {
  const twins = ['ast_1', 'ast_2'].flatMap((assetId, at) => [
    legOf(at, { assetId, asset: { symbol: 'TWIN' }, afterBalance: '-1', type: 'outgoing' }),
    legOf(at + 9, { assetId, asset: { symbol: 'TWIN' }, beforeBalance: '4', afterBalance: '5', price: null }),
  ]);
  const page = pageOf(await reportOf(twins)).replace(/<wbr>|<span class="whole">/g, '');
  // The names in tables and in the titles and headings of charts, without the unit of the axis and the messages.
  const names = page.match(/TWIN[^<]*(?=<\/(th|td|h3|title|span)>)/g) ?? [];
  expect(names.length).toBeGreaterThan(12);
  // One finding is about both assets: its message contains both ids.
  expect(names.filter((name) => !/^TWIN \(ast_[12]\)/.test(name))).toEqual([
    'TWIN',
    'TWIN is the symbol of 2',
  ]);
});

test('the report adds the code points of look-alike characters to a symbol', async () => {
  const page = pageOf(await reportOf([legOf(0, { asset: { symbol: 'U\u0405D\u0421' }, assetId: 'fake' })]));
  expect(page.replace(/<[^>]*>/g, '')).toContain('U\u0405D\u0421 (with U+0405, U+0421)');
});

test('the title of the report, which a browser prints on each page, contains the client and the period', async () => {
  const page = pageOf(await reportOf(NEGATIVE, { client: 'Ada & <Sons>' }));
  expect(page).toMatch(/<title>Review of the books: Ada &amp; &lt;Sons&gt;, [^<]+<\/title>/);
});

test('an unverified report shows the reason at the top', async () => {
  const page = pageOf(await reportOf(NEGATIVE, { unverified: 'the file was changed', statement: 'no' }));
  const top = page.slice(page.indexOf('<h1>'), page.indexOf('<main>'));
  expect(top).toContain('<strong>Not verified.</strong> The file was changed. Do not file');
  expect(page).not.toContain('<strong>Verified.</strong>');
});

test('a verified report contains the verification statement', async () => {
  const page = pageOf(await reportOf(NEGATIVE, { statement: 'verified at T0' }));
  expect(page).toContain('<strong>Verified.</strong>');
  expect(page).toContain('Verified at T0. None is missing. This number covers the legs of the period.');
  expect(page).not.toContain('Not verified');
  expect(pageOf(await reportOf(NEGATIVE, { unverified: 'no' }))).not.toContain('None is missing.');
});

test('the first page lists the five assets with the most value moved in the period, highest value first', async () => {
  const moved = [...'ABCDE'].map((symbol, at) =>
    legOf(at, { assetId: symbol, asset: { symbol }, value: 10 + at }),
  );
  const held = legOf(9, { assetId: 'big', asset: { symbol: 'HELD' }, quantity: '1000000', value: 1 });
  const page = pageOf(await reportOf([...moved, held]));
  const first = page.slice(
    page.indexOf('for the assets with the most value moved'),
    page.indexOf('id="completeness"'),
  );
  expect([...first.matchAll(/scope="row">(\w+)</g)].map(([, name]) => name)).toEqual([...'EDCBA']);
});

test('a table of findings contains the date of a price if this date differs from the date of the finding', async () => {
  const later = legOf(40, {
    ...NEGATIVE[1],
    id: 'led_40',
    timestamp: legOf(40)['timestamp'],
    beforeBalance: '-2',
  });
  const fallen = [...NEGATIVE, { ...later, afterBalance: '-5' }];
  const tableIn = (page: string) =>
    page.slice(page.indexOf('id="negative-balance"'), page.indexOf('id="appendix"'));
  expect(tableIn(pageOf(await reportOf(fallen)))).toMatch(/At the price of[\s\S]*2025-02-10/);
  expect(tableIn(pageOf(await reportOf(NEGATIVE)))).not.toContain('At the price of');
});

test('"What to do first" lists the checks with the most severe findings, in the order of the audit', async () => {
  const { checks } = await reportOf(NEGATIVE);
  const failed = checks.map((check, at) => ({
    ...check,
    severity: SEVERITIES[2 - (at % 3)] ?? null,
    counts: { ...check.counts, open: at + 1 },
  }));
  const page = pageOf(await reportOf(NEGATIVE, { checks: failed }));
  const first = [...page.matchAll(/<li><a href="#([\w-]+)">/g)].map(([, name]) => name);
  const errors = failed.filter(({ severity }) => severity === 'error').map(({ check }) => check);
  expect(first).toEqual(errors.slice(0, 5));
  const few = failed.map((one) => ({
    ...one,
    counts: { ...one.counts, open: /^stale|^neg/.test(one.check) ? 1 : 0 },
  }));
  const order = few.filter(({ counts }) => counts.open > 0).map(({ check }) => check);
  const two = pageOf(await reportOf(NEGATIVE, { checks: few }));
  expect([...two.matchAll(/<li><a href="#([\w-]+)">/g)].map(([, name]) => name)).toEqual(order);
});

test.each([
  [{ spam: 6, dust: 0 }, '6 findings on spam assets'],
  [{ spam: 0, dust: 1 }, '1 finding below the --dust limit'],
  [{ spam: 1, dust: 2 }, '1 finding on spam assets, 2 findings below the --dust limit'],
])('a report contains the reason why findings were set aside: %o', async (places, caption) => {
  const { findings, checks } = await reportOf(NEGATIVE);
  const counts = { open: 0, accepted: 0, spam: 0, dust: 0 };
  const page = pageOf(
    await reportOf(NEGATIVE, {
      checks: checks.map((check, at) => ({ ...check, counts: at === 0 ? { ...counts, ...places } : counts })),
      setAside: findings.slice(0, 1),
    }),
  );
  expect(page).toContain(`<caption>${caption}</caption>`);
});

test('a verified report shows problems with accounts, and what was not checked', async () => {
  const page = pageOf(
    await reportOf(NEGATIVE, {
      accountGaps: {
        problems: ['Kraken: the last sync failed <x>.'],
        unknown: 'Not <checked>.',
        limits: ['Partly <checked>.'],
      },
    }),
  );
  const section = page.slice(page.indexOf('id="completeness"'), page.indexOf('id="to-do"'));
  expect(section).toContain('<strong>Problems with accounts:</strong>');
  expect(section).toMatch(
    /^[^<]*<\/h2>\s*<p class="verdict bad"><strong>Transactions may be missing.<\/strong> None is missing\./,
  );
  expect(section).not.toContain('Verified');
  expect(section).toContain('<li>Kraken: the last sync failed &lt;x&gt;.</li>');
  expect(section).toContain('<strong>Not checked.</strong> Not &lt;checked&gt;. Partly &lt;checked&gt;.</p>');
});

test('a report shows each currency in its own rows and charts', async () => {
  const legs = [legOf(0, { profit: '10' }), legOf(1, { baseCurrency: 'EUR', profit: '20' })];
  const page = pageOf(await reportOf(legs));
  for (const currency of ['USD', 'EUR']) expect(page).toContain(`<h3>Profit by month, in ${currency}</h3>`);
  expect(page).toContain('<td class="figure">10.00</td>');
  expect(page).toContain('<td class="figure">20.00</td>');
  expect(page).toContain('<td class="figure">20.00 EUR<br>10.00 USD</td>');
  expect(page).not.toMatch(/>30\.00/);
});

test('a report shows an unknown amount as unknown, never as 0', async () => {
  const nothing = { profit: null, costbasis: null, proceeds: null, value: null, price: null };
  const page = pageOf(
    await reportOf([
      legOf(0, nothing),
      legOf(1, { ...nothing, type: 'outgoing', beforeBalance: '1', afterBalance: '0' }),
    ]),
  );
  expect(page).toContain(
    `<th scope="row">USD</th>${['unknown', 'unknown', '0.00', 'unknown', '2', '1'].map((cell) => `<td class="figure">${cell}</td>`).join('')}`,
  );
  expect(page).toContain('Incomplete: Value, cost basis, proceeds and profit are known for 0 of 2 legs');
});

test('a report for an empty period explains that only earlier balances were checked', async () => {
  const page = pageOf(await reportOf([legOf(0)], { period: { from: 9e12, to: 9.1e12 } }));
  expect(page).toContain('There are no legs in the period, so only balances from before it were checked.');
});

test('a report shortens long lists, and shows how many entries there are', async () => {
  const legs = [...Array(900).keys()].map((at) =>
    legOf(at, { walletId: `wal_${at}`, assetId: `ast_${at}`, type: 'outgoing', afterBalance: '-1' }),
  );
  const page = pageOf(await reportOf(legs));
  expect(page).toContain('20 of 900 findings are shown.');
  expect(page).toContain('6 of 900 pairs of wallet and asset are shown.');
  expect(page).toContain('Others: 875 other assets with movements.');
  expect(page).toContain('100 of 900 lines are shown.');
  expect(page.length).toBeLessThan(150_000);
});

test('a report lists accepted findings with their reasons, and counts findings that were set aside', async () => {
  const { findings, checks } = await reportOf(NEGATIVE);
  const [first] = findings;
  if (!first) throw new Error('no finding');
  const none = { open: 0, accepted: 0, spam: 0, dust: 0 };
  const page = pageOf(
    await reportOf(NEGATIVE, {
      findings: [],
      findingsStatement: ['0 open findings.'],
      checks: checks.map((check) => ({
        ...check,
        counts: check.check === first.check ? { ...none, accepted: 1, spam: 2 } : none,
      })),
      accepted: [{ ...first, reason: 'agreed with <client>' }],
      setAside: [first, first],
    }),
  );
  expect(page).toContain('0 open findings.');
  expect(page).toContain('<p>No open findings.</p>');
  expect(page).toContain('<td>agreed with &lt;client&gt;</td>');
  expect(page).toContain('2 findings on spam assets');
});

test('the number of open findings in a report includes findings that the report does not list', async () => {
  const { checks } = await reportOf(NEGATIVE);
  const page = pageOf(
    await reportOf(NEGATIVE, {
      checks: checks.map((check) =>
        check.check === 'negative-balance' ? { ...check, counts: { ...check.counts, open: 12_000 } } : check,
      ),
    }),
  );
  expect(page).toContain('Balances below zero <span class="soft">(12,000 findings,');
  expect(page).toContain('<a href="#negative-balance">Balances below zero</a> (12,000 findings,');
  expect(page).toContain('1 of 12,000 findings are shown.');
});

test('a report can show times beyond the range of Date, and amounts with hundreds of digits', async () => {
  const huge = `1${'0'.repeat(390)}`;
  const page = pageOf(
    await reportOf([
      legOf(0, { afterBalance: huge, quantity: huge, profit: `-${huge}` }),
      legOf(1, {
        timestamp: 8e300,
        beforeBalance: huge,
        afterBalance: '-1',
        type: 'outgoing',
        profit: '1e999999',
      }),
    ]),
  );
  expect(page.replaceAll('<wbr>', '')).toContain(huge);
  expect(page).not.toMatch(/NaN|Infinity|undefined/);
});

test.each([
  ['1234567.891', '1,234,567.89'],
  ['-0.5', '-0.5'],
  ['0.00000000012', '<0.00000001'],
  ['12345678901', '12,345,678,901'],
  ['18771372446424.5', '18,771.3724 bn'],
  [`1${'0'.repeat(30)}`, '1.00000000e+30'],
  [null, 'unknown'],
])('rounds the quantity %s to %s', (value, shown) => {
  expect(quantityText(value)).toBe(shown);
});

test('rounds money to the minor unit of its currency', () => {
  expect(['USD', 'JPY', 'KWD'].map((currency) => moneyText('-1234567.8765', currency))).toEqual([
    '-1,234,567.88',
    '-1,234,568',
    '-1,234,567.877',
  ]);
  expect([moneyText('0.001', 'USD'), moneyText('0', 'USD'), moneyText(null, 'USD')]).toEqual([
    '<0.01',
    '0.00',
    'unknown',
  ]);
});

test('text breaks between words, and never in numbers, ids, flags and times', () => {
  expect(prose('at 2025-01-02, led_1 <b> --all').text).toBe(
    'at <span class="whole">2025-01-02,</span> <span class="whole">led_1</span> &lt;b&gt; <span class="whole">--all</span>',
  );
  expect(prose('&'.repeat(21)).text).toBe(`${'&amp;'.repeat(20)}<wbr>&amp;<wbr>`);
});

test('a command that several findings share is shown once, with the differing word in each row', async () => {
  const legs = [1, 2].map((at) =>
    legOf(at, { walletId: `wal_${at}`, type: 'outgoing', beforeBalance: '0', afterBalance: '-1' }),
  );
  const page = pageOf(await reportOf(legs));
  const section = page.slice(page.indexOf('<h3 id="negative-balance"'));
  const [head = '', , row = ''] = section.split(/<table>|<tbody>|<\/tbody>/);
  expect(head).toContain('Next step: <code>cryptodata ledgers explain LEG</code>');
  expect(row).toContain('<td><code><span class="whole">led_1</span></code></td>');
  expect(row.match(/<tr>/g)).toHaveLength(2);
});
