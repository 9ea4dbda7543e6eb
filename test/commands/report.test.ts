// Tests the file that `audit --report` writes. Some tests open the file in Chromium.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../src/books/audit/findings.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { hasChromium, launchChromium } from '../chromium.ts';
import { legOf, pageOf, reportOf } from '../formats/report/page.ts';
import { THOROUGH } from '../runs.ts';
import { endHere, runHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 1500 });
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

  test('the report shows the same amounts as "audit --json", to the last digit', async () => {
    const { findings } = JSON.parse((await runHere(['audit', ...PERIOD, '--json'], sandbox.env)).stdout);
    const page = await open('year.html', { javaScriptEnabled: false });
    const shown = await page.evaluate<Record<string, string | number>[]>(
      `[...document.querySelectorAll('article')].map((article) => ({
        id: article.id,
        message: article.querySelector('h4 + p').textContent,
        next: [...article.querySelectorAll('p code')].at(-1).textContent,
        ...Object.fromEntries([...article.querySelectorAll('dt')].map((dt) => [dt.textContent, dt.nextSibling.textContent])),
      }))`,
    );
    expect(findings.length).toBeGreaterThan(50);
    const counts = new Map<string, number>();
    const listed = findings.filter(({ check }: Finding) => {
      counts.set(check, (counts.get(check) ?? 0) + 1);
      return (counts.get(check) ?? 0) <= 100;
    });
    expect(shown.map(({ id }) => id)).toEqual(listed.map(({ id }: Finding) => id));
    let figures = 0;
    for (const [at, finding] of listed.entries()) {
      const { Amount = null, Expected = null, Actual = null } = shown[at] ?? {};
      expect([Expected, Actual]).toEqual([finding.expected, finding.actual]);
      if (finding.amount === null) expect(Amount).toBeNull();
      else expect(String(Amount).split(' ')[0]).toBe(finding.amount);
      expect(shown[at]?.['next']).toBe(finding.next);
      if (finding.amount !== null) figures += 1;
    }
    expect(figures).toBeGreaterThan(20);
  });

  test('the report shows the same amounts as "ledgers rollforward --json", to the last digit', async () => {
    const lines: Record<string, unknown>[] = JSON.parse(
      (await runHere(['ledgers', 'rollforward', ...PERIOD, '--json'], sandbox.env)).stdout,
    );
    const page = await open('year.html', { javaScriptEnabled: false });
    const shown = (await cellsOf(page, 'Opening, movements')).map((cells) => cells.slice(3, 9).join(' '));
    const names = ['opening', 'in', 'out', 'fees', 'closing', 'difference'];
    const expected = lines.map((line) => names.map((name) => text(line[name])).join(' '));
    expect(lines.length).toBeGreaterThan(50);
    expect(shown.sort()).toEqual(expected.sort());
    const profits = lines.map(({ profit, profitUnknown, legs }) => {
      if (Number(profitUnknown) > 0 && profitUnknown === legs) return 'unknown';
      return Number(profitUnknown) === 0
        ? text(profit)
        : `${text(profit)} (${profitUnknown} leg${profitUnknown === 1 ? '' : 's'} unknown)`;
    });
    const shownProfits = (await cellsOf(page, 'Opening, movements')).map((cells) => cells[9]);
    expect(shownProfits.sort()).toEqual(profits.sort());
  });

  test.each(['month', 'asset'])(
    'the report shows the same sums as "ledgers export --sum-by %s", to the last digit',
    async (by) => {
      const file = out(`by-${by}.json`);
      await runHere(['ledgers', 'export', ...PERIOD, '--sum-by', by, '--out', file], sandbox.env);
      const sums: Record<string, unknown>[] = JSON.parse(readFileSync(file, 'utf8'));
      const page = await open('year.html', { javaScriptEnabled: false });
      const names = ['incomingValue', 'outgoingValue', 'feeValue', 'valueUnknown', 'profit', 'profitUnknown'];
      const expected = sums.map((row) =>
        [row['baseCurrency'], row['legs'], ...names.map((name) => row[name])].map(text).join(' '),
      );
      const from = by === 'month' ? 1 : 2;
      const shown = (await cellsOf(page, `Value and profit by ${by}`)).map((cells) =>
        cells.slice(from, from + 8).join(' '),
      );
      expect(sums.length).toBeGreaterThan(by === 'month' ? 11 : 20);
      expect(shown.sort()).toEqual(expected.sort());
    },
  );

  test('the report is complete without JavaScript, and every link has a target', async () => {
    const page = await open('year.html', { javaScriptEnabled: false });
    const heads = await page.locator('h2').allInnerTexts();
    expect(heads).toEqual([
      'Is anything missing?',
      'Summary',
      'Findings',
      'Balances over time',
      'Value and realised profit',
      'Roll-forward',
      'What was checked',
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
    const tree = await page.locator('#balances ~ figure').first().ariaSnapshot();
    expect(tree).toMatch(/img "Running balance of .+ in .+"/);
    expect(tree).toMatch(/term: Lowest\n +- definition: .*\d on \d{4}-/);
  });

  test('the report shows hostile names as text', async () => {
    const page = await open('hostile.html');
    expect(await page.title()).toBe('Audit of the books');
    expect(await page.locator('script, img, [onload], [onerror], [onfocus], [autofocus]').count()).toBe(0);
    const said = await page.locator('body').innerText();
    for (const name of HOSTILE.slice(0, 4)) expect(said).toContain(name);
    expect(said).toContain('invoice\\u202egpj.exe');
    expect(said).toContain('\\u001b[31mred');
    expect(said).not.toMatch(/\p{Bidi_Control}|\p{Cc}(?<!\s)/u);
    expect(said).toContain('NNN… (10,000 characters)');
  });

  const scrollWidth = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth');

  const views = [
    ['quarter.html', 'dark', PHONE],
    ['hostile.html', 'light', { width: 320, height: 480 }],
    ['quarter.html', 'light', WIDE],
  ] as const;
  test.each(THOROUGH ? views : views.slice(0, 2))(
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
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(ground).toBe(colorScheme === 'dark' ? 'rgb(18, 22, 28)' : 'rgb(255, 255, 255)');
    },
  );

  test.each(['year.html', 'hostile.html'])(
    'when %s is printed on A4, it uses light colours and fits the page width',
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
    },
  );
});
