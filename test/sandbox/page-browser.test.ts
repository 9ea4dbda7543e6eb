// Tests the sandbox page in a real browser. The tests cover the keyboard, accessibility, hostile text, and a browser without
// JavaScript.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium } from '../chromium.ts';
import { bearer, call, control, get, start } from './helpers.ts';

const sandbox = await start({ rows: 20 });
const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>'&\u202e\u0007`;

/** Sends four requests: one succeeds, one is invalid, one meets a fault, and one contains hostile text. */
async function fill(): Promise<void> {
  await sandbox.reset();
  await get(sandbox, '/v1/ledgers', { limit: 3 });
  await get(sandbox, '/v1/ledgers', { limit: 0 });
  await control(sandbox, 'faults', '429:/v1/holdings:rate=1:retry-after=2');
  await get(sandbox, '/v1/holdings');
  await call(`${sandbox.url}/v1/${encodeURIComponent(HOSTILE)}?q=${encodeURIComponent(HOSTILE)}`, {
    method: 'POST',
    headers: {
      ...bearer(sandbox.env['CRYPTODATA_ACCESS_TOKEN'] ?? '').headers,
      'x-note': `<b>"'&`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ note: HOSTILE }),
  });
}

describe.skipIf(!hasChromium())('the sandbox page in Chromium', () => {
  const PHONE = { width: 390, height: 844 };
  const WIDE = { width: 1280, height: 900 };
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const origins = new Set<string>();
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    context = await browser.newContext({
      viewport: WIDE,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.on('request', (request) => origins.add(new URL(request.url()).origin));
    page = await context.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => complaints.push(dialog.message()));
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    await fill();
    origins.clear();
    complaints.length = 0;
    await page.setViewportSize(WIDE);
    await page.goto(`${sandbox.url}/_sandbox`);
  });

  const names = () => page.locator('#requests a').allInnerTexts();
  const open = async (name: string) => {
    await page.getByRole('link', { name }).first().click();
    await page.waitForURL(/\/_sandbox\/requests\/\d+$/);
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  it('the sandbox page shows new requests without a reload, and filters them while the user types', async () => {
    expect(await names()).toHaveLength(4);
    await get(sandbox, '/v1/spam');
    await page.getByRole('link', { name: 'GET /v1/spam' }).waitFor();
    await page.getByLabel('Method, path or status').fill('ledgers 400');
    await expect.poll(names).toEqual(['GET /v1/ledgers?limit=0']);
    expect(page.url()).toBe(`${sandbox.url}/_sandbox?q=ledgers+400`);
    await page.getByLabel('Method, path or status').fill('');
    await page.getByLabel('Show').selectOption('faults');
    await expect.poll(names).toEqual(['GET /v1/holdings']);
    expect([...origins]).toEqual([sandbox.url]);
    expect(complaints).toEqual([]);
  });

  it('the focus stays on its link when the list of requests changes, and the user can stop live updates', async () => {
    const link = page.getByRole('link', { name: 'GET /v1/ledgers?limit=3' });
    await link.focus();
    await get(sandbox, '/v1/spam');
    await page.getByRole('link', { name: 'GET /v1/spam' }).waitFor();
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent'))
      .toBe('GET /v1/ledgers?limit=3');
    await page.getByLabel('Live updates').uncheck();
    await get(sandbox, '/v1/labels');
    await page.waitForTimeout(1500);
    expect(await names()).toHaveLength(5);
    await link.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/_sandbox\/requests\/\d+$/);
  });

  it('the sandbox page explains why a request failed, and copies the curl command', async () => {
    await open('GET /v1/ledgers?limit=0');
    const why = page.getByRole('region', { name: 'Why it failed' });
    expect(await why.innerText()).toContain('limit must be a whole number from 1 to 200');
    expect(await page.getByRole('region', { name: 'Specification' }).innerText()).toContain('ledgers.limit');
    await button('Copy').click();
    await expect.poll(() => page.locator('#said').innerText()).toBe('Copied');
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(`curl '${sandbox.url}/v1/ledgers?limit=0' \\\n  -H "authorization: Bearer $TOKEN"`);
    await page.getByRole('link', { name: 'Newer' }).click();
    await page.getByRole('heading', { name: 'GET /v1/holdings' }).waitFor();
    await button('Remove all faults').click();
    await page.getByText('All faults were removed.').waitFor();
    expect((await call(`${sandbox.url}/_sandbox/faults`)).raw).toBe('[]');
    expect(complaints).toEqual([]);
  });

  it('the sandbox page saves and loads a snapshot, and reports an invalid snapshot', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save a snapshot' }).click(),
    ]);
    const saved = await readFile(await download.path());
    sandbox.ledgers.insert({});
    const load = async (buffer: Buffer) => {
      await page
        .getByLabel('Load a snapshot')
        .setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer });
      await Promise.all([page.waitForLoadState(), button('Replace the state').click()]);
    };
    await load(Buffer.from('{'));
    await page.getByText('the document is not valid JSON').waitFor();
    expect(sandbox.truth.ledgers).toBe(21);
    await load(saved);
    await page.getByText('The snapshot was loaded.').waitFor();
    expect(sandbox.truth.ledgers).toBe(20);
    await page.getByLabel('Move the clock forward by').selectOption('3600000');
    await button('Advance').click();
    await page.getByText('1 h ahead of the clock').waitFor();
    await button('Reset').click();
    await page.getByText('The sandbox was reset to its initial state.').waitFor();
    expect(sandbox.truth.requests()).toEqual([]);
  });

  it('the sandbox page can be read and used without JavaScript', async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const other = await plain.newPage();
    await other.goto(`${sandbox.url}/_sandbox`);
    await other.getByLabel('Show').selectOption('failed');
    await other.getByRole('button', { name: 'Filter' }).click();
    expect(await other.locator('#requests a').count()).toBe(3);
    expect(await other.getByLabel('Live updates').isVisible()).toBe(false);
    await other.getByRole('link', { name: 'GET /v1/holdings' }).click();
    expect(await other.getByRole('button', { name: 'Copy' }).isVisible()).toBe(false);
    await other.getByRole('button', { name: 'Remove all faults' }).click();
    await other.getByText('All faults were removed.').waitFor();
    await plain.close();
  });

  it('the sandbox page shows hostile text as plain text', async () => {
    await open('POST /v1/');
    expect(await page.locator('img').count()).toBe(0);
    const shown = await page.locator('main').innerText();
    expect(shown).toContain('<img src=x onerror=alert(1)>');
    expect(shown).toContain('\\u{202e}');
    expect(shown).toContain(`<b>"'&`);
    expect(complaints).toEqual([]);
    expect([...origins]).toEqual([sandbox.url]);
  });

  it('other sites cannot read the sandbox page or the state of the sandbox', async () => {
    const site = createServer((_request, response) => response.end('<p>Another site</p>'));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const other = await context.newPage();
    await other.goto(`http://127.0.0.1:${Object(site.address()).port}/`);
    const tried = await other.evaluate<string[]>(`Promise.all([
      fetch('${sandbox.url}/_sandbox').then(String, () => 'blocked'),
      fetch('${sandbox.url}/_sandbox/snapshot').then(String, () => 'blocked'),
      fetch('${sandbox.url}/_sandbox/reset', { method: 'POST', mode: 'no-cors' }).then((r) => r.type, () => 'blocked'),
    ])`);
    expect(tried).toEqual(['blocked', 'blocked', 'opaque']);
    expect(sandbox.truth.requests()).not.toEqual([]);
    await other.close();
    site.close();
    site.closeAllConnections();
  });

  it.each([
    ['light', PHONE],
    ['dark', WIDE],
    ['dark', PHONE],
    ['light', { width: 320, height: 640 }],
  ] as const)(
    'the sandbox page passes every axe-core rule in %s mode at %o',
    async (colorScheme, viewport) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      const requests = [
        ...new Set(
          (await page.locator('#requests a').evaluateAll('(all) => all.map(({ href }) => href)')) as string[],
        ),
      ];
      for (const url of [`${sandbox.url}/_sandbox?done=load`, ...requests]) {
        await page.goto(url);
        for (const details of await page.locator('summary').all()) await details.click();
        await page.evaluate(axe.source);
        const { violations, incomplete } = await page.evaluate<Pick<AxeResults, 'violations' | 'incomplete'>>(
          `axe.run(document, { resultTypes: ['violations', 'incomplete'] }).then(({ violations, incomplete }) => ({ violations, incomplete }))`,
        );
        expect(
          [...violations, ...incomplete].map(({ id, nodes }) => [url, id, nodes.map(({ html }) => html)]),
        ).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
      }
    },
  );
});
