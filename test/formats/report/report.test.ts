import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CHECK_NAMES, checkNamed } from '../../../src/books/audit/checks/index.ts';
import { cutText, html } from '../../../src/formats/report/html.ts';
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

test('an unverified report shows the reason at the top', async () => {
  const page = pageOf(await reportOf(NEGATIVE, { unverified: 'the file was changed', statement: 'no' }));
  const top = page.slice(page.indexOf('<h1>'), page.indexOf('<main>'));
  expect(top).toContain('<strong>Not verified.</strong> The file was changed. Do not file');
  expect(page).not.toContain('<strong>Verified.</strong>');
});

test('a verified report contains the verification statement', async () => {
  const page = pageOf(await reportOf(NEGATIVE, { statement: 'verified at T0' }));
  expect(page).toContain('<strong>Verified.</strong>');
  expect(page).toContain('Verified at T0.');
  expect(page).not.toContain('Not verified');
});

test('a verified report shows beside it which accounts are incomplete', async () => {
  const page = pageOf(
    await reportOf(NEGATIVE, {
      accountGaps: {
        known: ['Kraken: the last sync failed <x>.'],
        unknown: 'Not <checked>.',
        limits: ['Partly <checked>.'],
      },
    }),
  );
  const section = page.slice(page.indexOf('id="completeness"'), page.indexOf('id="summary"'));
  expect(section).toContain('<strong>Known to be incomplete.</strong>');
  expect(section).toContain('<li>Kraken: the last sync failed &lt;x&gt;.</li>');
  expect(section).toContain('<strong>Not checked.</strong> Not &lt;checked&gt;. Partly &lt;checked&gt;.</p>');
});

test('a report shows each currency in its own rows and charts', async () => {
  const legs = [legOf(0, { profit: '10' }), legOf(1, { baseCurrency: 'EUR', profit: '20' })];
  const page = pageOf(await reportOf(legs));
  for (const currency of ['USD', 'EUR'])
    expect(page).toContain(`<h3>Realised profit by month, in ${currency}</h3>`);
  expect(page).toContain('<strong>10</strong> USD');
  expect(page).toContain('<strong>20</strong> EUR');
  expect(page).not.toMatch(/>30</);
});

test('a report shows an unknown amount as unknown, never as 0', async () => {
  const nothing = { profit: null, costbasis: null, proceeds: null, value: null, price: null };
  const page = pageOf(
    await reportOf([legOf(0, nothing), legOf(1, { ...nothing, beforeBalance: '1', afterBalance: '2' })]),
  );
  expect(page).toContain('<strong>unknown</strong> USD (known for 0 of 2 legs)');
  expect(page).toContain('Incomplete: value, cost basis, proceeds and profit are known for 0 of 2 legs');
  const rows = page.slice(page.indexOf('id="rollforward"'));
  expect(rows.slice(0, rows.indexOf('</table>'))).toContain(
    '<td class="figure">unknown</td><td class="text">USD</td>',
  );
});

test('a report for an empty period says that only earlier balances were checked', async () => {
  const page = pageOf(await reportOf([legOf(0)], { period: { from: 9e12, to: 9.1e12 } }));
  expect(page).toContain('There are no legs in the period, so only balances from before it were checked.');
});

test('a report shortens long lists, and shows how many entries there are', async () => {
  const legs = [...Array(900).keys()].map((at) =>
    legOf(at, { walletId: `wal_${at}`, assetId: `ast_${at}`, type: 'outgoing', afterBalance: '-1' }),
  );
  const page = pageOf(await reportOf(legs));
  expect(page).toContain('The first 100 of 900 findings are shown.');
  expect(page).toContain('The first 40 of 900 pairs of wallet and asset are shown.');
  expect(page).toContain('The first 500 of 900 assets are shown.');
  expect(page).toContain('The first 500 of 900 lines are shown.');
  expect(page.match(/<article/g)?.length).toBeLessThanOrEqual(100 * CHECK_NAMES.length);
  expect(page.length).toBeLessThan(3_000_000);
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
  expect(page).toContain('agreed with &lt;client&gt;');
  expect(page).toContain('2 findings on spam assets');
});

test('a report counts every open finding, although it lists fewer', async () => {
  const { checks } = await reportOf(NEGATIVE);
  const page = pageOf(
    await reportOf(NEGATIVE, {
      checks: checks.map((check) =>
        check.check === 'negative-balance' ? { ...check, counts: { ...check.counts, open: 12_000 } } : check,
      ),
    }),
  );
  expect(page).toContain('Balances below zero (12,000)</h3>');
  expect(page).toContain('<a href="#negative-balance">Balances below zero</a>: 12,000.');
  expect(page).toContain('The first 1 of 12,000 findings are shown.');
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
  expect(page).toContain(huge);
  expect(page).not.toMatch(/NaN|Infinity|undefined/);
});
