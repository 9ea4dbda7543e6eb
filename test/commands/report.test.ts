// Tests the file that `audit --report` writes. Some tests open the file in Chromium.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHECK_NAMES, checkNamed } from '../../src/books/audit/checks/index.ts';
import type { Finding } from '../../src/books/audit/findings.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { hasChromium, launchChromium } from '../chromium.ts';
import { legOf, pageOf, reportOf } from '../formats/report/page.ts';
import { cases, THOROUGH } from '../runs.ts';
import { endHere, runHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 800 });
const directory = await mkdtemp(join(tmpdir(), 'cryptodata-report-'));
const out = (name: string) => join(directory, name);
const PERIOD = ['--period', '2024'];
beforeAll(async () => {
  await runHere(['ledgers', 'export', '--out', out('all.jsonl')], sandbox.env);
  await runHere(['audit', ...PERIOD, '--report', out('year.html')], sandbox.env);
  await runHere(['audit', '--period', '2024-Q3', '--report', out('quarter.html')], sandbox.env);
  writeFileSync(out('hostile.html'), pageOf(await hostileReport()));
});
afterAll(async () => {
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

const HOSTILE = [
  '<script>document.title = "owned"</script>',
  '"><img src=http://example.test/x onerror="document.title=1">',
  "' onload='x' autofocus onfocus='document.title=1",
  '</title></style></svg><script>document.title = 1</script>',
  'invoice\u202egpj.exe',
  '\u001b[31mred',
  'N'.repeat(10_000),
];

function hostileReport() {
  const legs = HOSTILE.map((name, at) =>
    legOf(at, {
      ...{ id: name, transactionId: name, assetId: null, asset: null, assetRaw: { symbol: name } },
      ...{ walletId: name, type: 'outgoing', quantity: '2', afterBalance: '-1', baseCurrency: name },
    }),
  );
  return reportOf(legs, { nameOf: (walletId) => `wallet ${walletId}`, origin: [['File', HOSTILE[0] ?? '']] });
}

describe('audit --report', () => {
  test('"audit --report" writes the report, and prints its path in addition to the usual output', async () => {
    const file = out('beside.html');
    const args = ['audit', '--file', out('all.jsonl'), ...PERIOD];
    const plain = await runHere([...args, '--json'], sandbox.env);
    const { stdout, stderr } = await runHere([...args, '--json', '--report', file], sandbox.env);
    expect(stdout).toBe(plain.stdout);
    expect(stderr).toContain(`Report: ${file}`);
    expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>\n[\s\S]*<\/html>\n$/);
  });

  test('sentences in a report use the title of a check, not its name', async () => {
    const few = 'id,timestamp,transactionId,type,quantity,walletId,assetId,asset.symbol,assetRaw.symbol';
    await runHere(['ledgers', 'export', '--out', out('few.csv'), '--columns', few], sandbox.env);
    const args = ['--report', out('few.html'), '-o', 'table'];
    await runHere(['audit', '--file', out('few.csv'), ...args], sandbox.env);
    const texts = ['few.html', 'year.html'].map((name) =>
      readFileSync(out(name), 'utf8')
        .replace(/<code>.*?<\/code>/g, '')
        .replace(/<[^>]*>/g, ''),
    );
    for (const name of CHECK_NAMES) {
      for (const text of texts) expect(text).not.toMatch(new RegExp(`\\b${name}(, [a-z-]+)*:`));
      if (name.includes('-')) for (const text of texts) expect(text).not.toContain(name);
      expect(texts[0]).toContain(checkNamed(name).title);
    }
    // Two checks have the same limit, so the report lists both in one sentence.
    expect(texts[0]).toMatch(
      /&quot;Missing cost basis, proceeds or profit&quot;, &quot;Profits that do not add up&quot;: The file has no column /,
    );
  });

  test('"audit --report" writes the same bytes for the same input file', async () => {
    const args = ['audit', '--file', out('all.jsonl'), '--report'];
    for (const name of ['one.html', 'two.html']) await runHere([...args, out(name)], sandbox.env);
    expect(readFileSync(out('two.html'), 'utf8')).toBe(readFileSync(out('one.html'), 'utf8'));
  });

  test('refuses to replace a file without --overwrite, before any request', async () => {
    writeFileSync(out('filed.html'), 'filed');
    const asked = sandbox.truth.requests().length;
    const { error } = await endHere(['audit', '--report', out('filed.html')], sandbox.env);
    expect(error).toMatchObject({ kind: 'usage', code: 'FILE_EXISTS' });
    expect(sandbox.truth.requests()).toHaveLength(asked);
    expect(readFileSync(out('filed.html'), 'utf8')).toBe('filed');
    await runHere(['audit', ...PERIOD, '--report', out('filed.html'), '--overwrite'], sandbox.env);
    expect(readFileSync(out('filed.html'), 'utf8')).toContain('<!doctype html>');
  });

  test.each([
    ['a name that is not HTML', ['--report', out('audit.pdf')], 'BAD_REPORT_NAME'],
    ['--overwrite without --report', ['--overwrite'], 'USAGE'],
  ])('rejects %s', async (_, args, code) => {
    const { error } = await endHere(['audit', ...args], sandbox.env);
    expect(error).toMatchObject({ kind: 'usage', code });
  });

  test('"audit --report" leaves no file if the audit fails', async () => {
    const { error } = await endHere(
      ['audit', '--asset', 'NOPE', '--file', out('all.jsonl'), '--report', out('failed.html')],
      sandbox.env,
    );
    expect(error).toMatchObject({ code: 'UNKNOWN_NAME' });
    expect((await readdir(directory)).filter((name) => name.includes('failed'))).toEqual([]);
  });

  test('"audit --report" fails for a changed file, and writes no report', async () => {
    await runHere(['ledgers', 'export', '--out', out('changed.jsonl')], sandbox.env);
    await appendFile(out('changed.jsonl'), '\n');
    const { error } = await endHere(
      ['audit', '--file', out('changed.jsonl'), '--report', out('changed.html')],
      sandbox.env,
    );
    expect(error).toMatchObject({ kind: 'unverified', code: 'FILE_CHANGED' });
    expect((await readdir(directory)).filter((name) => name.includes('changed.html'))).toEqual([]);
  });

  test('the report lists the filters that limit the findings', async () => {
    const [{ symbol } = { symbol: '' }] = sandbox.truth.negativePairs;
    await runHere(
      ['audit', '--file', out('all.jsonl'), '--asset', symbol, '--report', out('one-asset.html')],
      sandbox.env,
    );
    const page = readFileSync(out('one-asset.html'), 'utf8');
    expect(page).toContain(`<dt>Findings limited to</dt><dd>--asset ${symbol}</dd>`);
  });
});

describe.skipIf(!hasChromium())('the report in chromium', () => {
  const PHONE = { width: 390, height: 844 };
  const WIDE = { width: 1280, height: 900 };
  let browser: Browser;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const file = join(directory, request.url ?? '');
    if (existsSync(file)) response.setHeader('content-type', 'text/html').end(readFileSync(file));
    else response.writeHead(404).end();
  });
  const asked: string[] = [];
  let origin = '';

  beforeAll(async () => {
    browser = await launchChromium();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${Object(server.address()).port}`;
  });
  afterAll(async () => {
    await browser?.close();
    server.close();
    server.closeAllConnections();
  });

  async function open(name: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await browser.newContext({ viewport: WIDE, ...options })).newPage();
    await page.goto(`${origin}/${name}`);
    return page;
  }

  /** The cells of the table whose caption starts with this text. */
  const cellsOf = (page: Page, caption: string) =>
    page.evaluate<string[][]>(`[...document.querySelectorAll('table')]
      .filter((table) => table.caption.textContent.startsWith(${JSON.stringify(caption)}))
      .flatMap((table) => [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)))`);

  const text = (value: unknown) => (value === null ? 'unknown' : String(value));

  test('when the report opens, the browser requests only the page itself and logs no error', async () => {
    asked.length = 0;
    const page = await (await browser.newContext()).newPage();
    const seen: string[] = [];
    page.on('request', (request) => seen.push(request.url()));
    page.on('console', (message) => seen.push(message.text()));
    page.on('pageerror', (error) => seen.push(error.message));
    for (const name of ['year.html', 'hostile.html']) {
      await page.goto(`${origin}/${name}`, { waitUntil: 'networkidle' });
    }
    expect(seen).toEqual([`${origin}/year.html`, `${origin}/hostile.html`]);
    expect(asked).toEqual(['/year.html', '/hostile.html']);
  });

  test('the report has one table of at most 20 findings for each check, with the ids of "audit --json"', async () => {
    const { findings, checks } = JSON.parse(
      (await runHere(['audit', ...PERIOD, '--json'], sandbox.env)).stdout,
    );
    const page = await open('year.html', { javaScriptEnabled: false });
    expect(findings.length).toBeGreaterThan(50);
    let ids = 0;
    for (const { check, counts } of checks) {
      const rows = await page.evaluate<string[]>(
        `[...document.querySelectorAll('section[aria-labelledby="${check}"] tbody tr')].map((row) => row.lastChild.textContent)`,
      );
      if (counts.open === 0) expect(rows).toEqual([]);
      if (rows.length > 0) expect(rows).toHaveLength(Math.min(20, counts.open));
      const own = findings.filter((finding: Finding) => finding.check === check);
      const shown = rows.filter((text) => text.startsWith('led_'));
      for (const id of shown) expect(own.map(({ ledgerId }: Finding) => ledgerId)).toContain(id);
      ids += shown.length;
    }
    expect(ids).toBeGreaterThan(50);
  });

  test('the appendix shows the same amounts as "ledgers rollforward --json", to the last digit', async () => {
    const args = ['ledgers', 'rollforward', '--period', '2024-Q3', '--json'];
    const lines: Record<string, unknown>[] = JSON.parse((await runHere(args, sandbox.env)).stdout);
    const page = await open('quarter.html', { javaScriptEnabled: false });
    const shown = (await cellsOf(page, 'Opening + in')).map((cells) =>
      cells[2]?.replace(/ Difference.*/, ''),
    );
    const expected = lines
      .filter(({ legs }) => Number(legs) > 0)
      .map((line) => {
        const [opening, into, out, fees, closing] = ['opening', 'in', 'out', 'fees', 'closing'].map((name) =>
          text(line[name]),
        );
        return `${opening} + ${into} − ${out} − ${fees} = ${closing}`;
      });
    expect(expected.length).toBeGreaterThan(20);
    expect(shown.sort()).toEqual(expected.sort());
  });

  test('the appendix shows the same sums as "ledgers export --sum-by month", to the last digit', async () => {
    const file = out('by-month.json');
    await runHere(['ledgers', 'export', ...PERIOD, '--sum-by', 'month', '--out', file], sandbox.env);
    const sums: Record<string, unknown>[] = JSON.parse(readFileSync(file, 'utf8'));
    const page = await open('year.html', { javaScriptEnabled: false });
    const expected = sums.map((row) => {
      const [into, outgoing, fees, profit] = ['incomingValue', 'outgoingValue', 'feeValue', 'profit'].map(
        (name) => text(row[name]),
      );
      const without = ['value', 'profit'].flatMap((name) => {
        const legs = Number(row[`${name}Unknown`]);
        return legs === 0 ? [] : `, ${legs} ${legs === 1 ? 'leg' : 'legs'} without a ${name}`;
      });
      return `${row['month']} in ${into}, out ${outgoing}, fees ${fees}, profit ${profit}${without.join('')}`;
    });
    const cells = await cellsOf(page, 'Values and profit by month');
    expect(sums.length).toBe(12);
    expect(cells.slice(0, 12).map(([month, , values]) => `${month} ${values}`)).toEqual(expected);
  });

  test('the report is complete without JavaScript, and every link has a target', async () => {
    const page = await open('year.html', { javaScriptEnabled: false });
    const heads = await page.locator('h2').allInnerTexts();
    expect(heads).toEqual([
      'Summary',
      'Is anything missing?',
      'What to do first',
      'Roll-forward by asset',
      'Value and profit by month',
      'Balances with findings, over time',
      'Findings',
      'Appendix: every digit',
      'What was checked',
      'How the legs were verified',
    ]);
    for (const part of await page.locator('main > section').all()) expect(await part.isVisible()).toBe(true);
    const lost = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a')].map((a) => a.getAttribute('href')).filter((href) => !document.getElementById(href.slice(1)))`,
    );
    expect(lost).toEqual([]);
  });

  test('the report describes each chart in words', async () => {
    const page = await open('year.html');
    const charts = await page.getByRole('img').all();
    expect(charts.length).toBeGreaterThan(3);
    for (const chart of charts) {
      const described = await chart.getAttribute('aria-labelledby');
      const [title, words] = await Promise.all(
        (described ?? '').split(' ').map((id) => page.locator(`#${id}`).textContent()),
      );
      expect(title).toMatch(/^(Running balance of .+ in .+|.+ by month, in .+)$/);
      expect(words).toMatch(/\d{4}-\d\d/);
      // The axes have a unit and round numbers.
      const labels = await chart.locator('text').allTextContents();
      expect(labels[0]).toMatch(/^(thousand |million |billion |trillion |10\^\d+ )?\S/);
      expect(labels.filter((label) => /^-?\d{1,4}(\.\d{1,3})?$/.test(label)).length).toBeGreaterThan(1);
      expect(labels.at(-1)).toMatch(/^\d{4}-\d\d/);
    }
  });

  test('the report shows hostile names as text', async () => {
    const page = await open('hostile.html');
    expect(await page.title()).toMatch(/^Review of the books: .+, .+/);
    expect(await page.locator('script, img, [onload], [onerror], [onfocus], [autofocus]').count()).toBe(0);
    const said = await page.locator('body').innerText();
    for (const name of HOSTILE.slice(0, 2)) expect(said).toContain(name);
    for (const name of HOSTILE.slice(2, 4)) expect(said).toContain(name.slice(0, 50));
    expect(said).toContain('invoice\\u202egpj.exe');
    expect(said).toContain('\\u001b[31mred');
    expect(said).not.toMatch(/\p{Bidi_Control}|\p{Cc}(?<!\s)/u);
    expect(said).toContain('N… (10,000 characters)');
  });

  const scrollWidth = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth');

  const views = [
    ['quarter.html', 'dark', PHONE],
    ['hostile.html', 'light', { width: 320, height: 480 }],
    ['quarter.html', 'light', WIDE],
  ] as const;
  test.each(cases(views, 2))(
    'the report passes axe-core and fits the screen: %s, %s, %o',
    async (name, colorScheme, viewport) => {
      const page = await open(name, { colorScheme, viewport });
      await page.evaluate(axe.source);
      // Return only the violations from the page, because the list of passed rules is several megabytes long.
      const violations = await page.evaluate<AxeResults['violations']>(
        `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
      );
      expect(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])).toEqual([]);
      expect(await scrollWidth(page)).toBe(viewport.width);
      // On a phone, amounts of usual length fit the page: no part of the page scrolls to the side.
      const scrolling = `[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1).length`;
      if (name === 'quarter.html' && viewport === PHONE) expect(await page.evaluate(scrolling)).toBe(0);
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(ground).toBe(colorScheme === 'dark' ? 'rgb(18, 22, 28)' : 'rgb(255, 255, 255)');
    },
  );

  test.each(['year.html', 'hostile.html'])(
    '%s printed on A4 uses light colours and fits the page width',
    async (name) => {
      // The width of A4 in pixels, without margins.
      const paper = { width: 703, height: 1000 };
      const page = await open(name, { colorScheme: 'dark', viewport: paper });
      await page.emulateMedia({ media: 'print' });
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
        'rgb(255, 255, 255)',
      );
      expect(await scrollWidth(page)).toBe(paper.width);
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
      const sizes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, width, height]) =>
        [width, height].map((size) => Math.round(Number(size))),
      );
      expect(sizes.length).toBeGreaterThan(1);
      expect(new Set(sizes.map(String))).toEqual(new Set(['595,842']));
      const wrapped = await page.evaluate(
        `[...document.querySelectorAll('.whole, .figure')].filter((one) => /^[-\\d.,]+$/.test(one.textContent) && one.textContent.length < 60 &&
          one.getClientRects().length > 1).map((one) => one.textContent)`,
      );
      expect(wrapped).toEqual([]);
    },
  );

  /** Number of pages on A4. */
  async function pagesOf(name: string): Promise<number> {
    const page = await open(name);
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    return pdf.match(/\/Type \/Page$/gm)?.length ?? 0;
  }

  test('the filing pack of a quarter contains a report of at most 8 pages, with the name of the client', async () => {
    const usual = await createSandbox();
    const args = ['close', '--period', '2025-Q3', '--tz', 'Europe/Berlin', '--prepared-by', 'Ledger & Sons'];
    await runHere([...args, '--client', 'Studio <Ada>', '--out', out('pack')], usual.env).finally(() =>
      usual.close(),
    );
    expect(await pagesOf('pack/report.html')).toBeLessThanOrEqual(8);
    const page = await open('pack/report.html');
    expect(await page.locator('h1').innerText()).toBe('Studio <Ada>');
    const facts = await page.locator('header dl').innerText();
    expect(facts.split('\n')).toEqual(expect.arrayContaining(['Ledger & Sons', 'USD']));
    const sums = readFileSync(out('pack/SHA256SUMS'), 'utf8').matchAll(/^(\w+) {2}(.+)$/gm);
    const hashes = await page.locator('#source ~ ul').innerText();
    for (const [, sha256, name] of [...sums].slice(0, 8)) expect(hashes).toContain(`${name} ${sha256}`);
    // A program that shares no code with the tool recomputes the first page.
    const script = fileURLToPath(new URL('first-page.py', import.meta.url));
    const python = spawnSync('python3', [script, out('pack')], { encoding: 'utf8' });
    expect(python.stdout + python.stderr).toBe('31 amounts agree\n');
  });

  test.runIf(THOROUGH)('the report of 5,000 legs has at most 14 pages', async () => {
    const large = await createSandbox({ rows: 5000 });
    await runHere(['audit', '--report', out('large.html')], large.env).finally(() => large.close());
    expect(await pagesOf('large.html')).toBeLessThanOrEqual(14);
  });
});
