// Tests the consent page in a real browser, with an application that uses openid-client. The tests use a mouse, the keyboard
// alone, and the accessibility tree that screen readers use.

import { createServer } from 'node:http';
import axe, { type AxeResults } from 'axe-core';
import * as client from 'openid-client';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium } from '../chromium.ts';
import { DEFAULT_SCOPE, start, usersOf } from './helpers.ts';

const sandbox = await start({ rows: 5, registeredScopes: ['transactions:write'] });
const scope = `${DEFAULT_SCOPE} transactions:write`;
const [, accountant = '', viewer = ''] = usersOf(sandbox);
const family = sandbox.truth.members.find(({ workspaceId }) => workspaceId !== sandbox.workspaceId);

interface Application {
  readonly url: string;
  /** The result of the last login. */
  granted(): { scope: string[]; claims: Record<string, unknown> };
  /** Makes the application expect `state` instead of the state that it sent. */
  expect(state: string): void;
}

/** Starts an application. Its path /login redirects to the sandbox, and its path /callback shows the result of the login. */
async function application(): Promise<Application> {
  const discovery = new URL(`${sandbox.url}/oidc/.well-known/openid_configuration`);
  const config = await client.discovery(discovery, sandbox.clientId, sandbox.clientSecret, undefined, {
    execute: [client.allowInsecureRequests],
  });
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const challenge = await client.calculatePKCECodeChallenge(pkceCodeVerifier);
  let expectedState = '';
  let granted = { scope: [''], claims: {} };
  async function answer(url: URL): Promise<{ location: string } | { says: string }> {
    if (url.pathname === '/login') {
      expectedState = client.randomState();
      const { href } = client.buildAuthorizationUrl(config, {
        redirect_uri: `${url.origin}/callback`,
        scope,
        state: expectedState,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      });
      return { location: href };
    }
    const tokens = await client.authorizationCodeGrant(config, url, { pkceCodeVerifier, expectedState });
    const claims = await client.tokenIntrospection(config, tokens.access_token);
    granted = { scope: (tokens.scope ?? '').split(' ').sort(), claims };
    return { says: 'Logged in' };
  }
  const server = createServer((request, response) => {
    const { port } = Object(server.address());
    answer(new URL(request.url ?? '/', `http://127.0.0.1:${port}`)).then(
      (end) => {
        if ('location' in end) response.writeHead(303, end).end();
        else response.end(end.says);
      },
      (error: unknown) => response.end(`Refused: ${Object(error).error ?? Object(error).code}`),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = Object(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    granted: () => granted,
    expect: (state) => {
      expectedState = state;
    },
  };
}

describe.skipIf(!hasChromium())('the consent page in chromium', () => {
  const PHONE = { width: 390, height: 844 };
  const WIDE = { width: 1280, height: 900 };
  let browser: Browser;
  let app: Application;
  let context: BrowserContext;
  let page: Page;
  let tool: CDPSession;
  const origins = new Set<string>();

  beforeAll(async () => {
    browser = await launchChromium();
    context = await browser.newContext({ viewport: PHONE });
    context.on('request', (request) => origins.add(new URL(request.url()).origin));
    page = await context.newPage();
    tool = await context.newCDPSession(page);
    app = await application();
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    origins.clear();
    await sandbox.reset();
    await page.goto(`${app.url}/login`);
  });

  const said = () => page.locator('body').innerText();
  const allow = () => page.getByRole('button', { name: 'Allow' });
  const answer = (name: string) =>
    Promise.all([page.waitForURL(/\/callback\?/), page.getByRole('button', { name, exact: true }).click()]);
  const as = (uid: string) => page.goto(`${page.url().split('?')[0]}?member=${uid}`);

  it('the consent page grants all requested scopes and sends no request to other sites', async () => {
    await answer('Allow');
    expect(await said()).toBe('Logged in');
    expect(app.granted().scope).toEqual(scope.split(' ').sort());
    expect(app.granted().claims).toMatchObject({ role: 'owner', workspaceId: sandbox.workspaceId });
    expect([...origins].sort()).toEqual([app.url, sandbox.url].sort());
  });

  it('the consent page grants no access if the user clicks Deny', async () => {
    await answer('Deny');
    expect(await said()).toBe('Refused: access_denied');
    expect(sandbox.truth.grants().flatMap(({ refreshTokens }) => refreshTokens)).toEqual([]);
  });

  it('the consent page grants fewer scopes if the user unchecks some of them', async () => {
    for (const line of ['Change your transactions', 'Stay connected', 'Read your tax data']) {
      await page.getByText(line).click();
    }
    await answer('Allow');
    const less = ['transactions:write', 'offline_access', 'tax:read'];
    const kept = scope.split(' ').filter((one) => !less.includes(one));
    expect(app.granted().scope).toEqual(kept.sort());
  });

  it('an application rejects the redirect from the consent page if the state is wrong', async () => {
    app.expect('of another login');
    await answer('Allow');
    expect(await said()).toBe('Refused: OAUTH_INVALID_RESPONSE');
    // The application did not send the authorization code to the sandbox.
    expect(sandbox.truth.requests().filter(({ path }) => path === '/oidc/token')).toEqual([]);
  });

  it('for a different member, the consent page shows the scopes that this member can grant in the selected workspace', async () => {
    await page.getByText('Answer as somebody else').click();
    await Promise.all([
      page.waitForURL(/\?member=/),
      page.getByRole('link', { name: 'Tomás Ó Briain' }).click(),
    ]);
    const ledgers = page.getByRole('checkbox', { name: 'Read your transactions, ledgers, labels and spam' });
    const left = page.getByRole('region', { name: 'Not granted' });
    expect(await ledgers.isVisible()).toBe(true);
    expect(await left.getByRole('listitem').allInnerTexts()).toEqual([
      'Read the list of users in the workspace users:read',
      'Change your transactions, ledgers, labels and spam transactions:write',
    ]);
    await page.getByRole('radio', { name: 'Lindqvist Family' }).click();
    expect(await ledgers.isVisible()).toBe(false);
    expect(await left.getByRole('listitem').count()).toBe(6);
    await answer('Allow');
    expect(app.granted().claims).toMatchObject({ role: 'viewer', workspaceId: family?.workspaceId });
    expect(app.granted().scope).not.toContain('transactions:read');
    expect(app.granted().scope).toContain('portfolios:read');
  });

  it('the consent page can be used with the keyboard alone, and the focus is always visible', async () => {
    const press = (key: string) => page.keyboard.press(key);
    const focused = () =>
      page.evaluate<{ line: string; outline: string }>(`(() => {
        const element = document.activeElement;
        const line = (element.closest('label') ?? element).textContent;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        return { line, outline: outlineStyle + ' ' + outlineWidth };
      })()`);
    const order: string[] = [];
    for (;;) {
      await press('Tab');
      const { line, outline } = await focused();
      expect([line, outline]).toEqual([line, 'solid 3px']);
      order.push(line);
      if (line === 'Deny' || order.length > 30) break;
    }
    expect(order).toHaveLength(1 + 1 + 12 + 2);
    expect(order.slice(0, 3)).toEqual([
      'Answer as somebody else',
      expect.stringContaining('Meridian Trading & Sons'),
      expect.stringContaining('portfolios:read'),
    ]);
    expect(order.slice(-2)).toEqual(['Allow', 'Deny']);

    await page.getByRole('radio', { name: 'Meridian Trading & Sons' }).focus();
    await press('ArrowDown');
    await press('Tab');
    await press('Enter');
    await press('Space');
    // Enter did not submit the form: the page is still open, and Space changed the checkbox.
    expect(await page.getByRole('checkbox', { name: 'Read your holdings' }).isChecked()).toBe(false);
    await allow().focus();
    await press('Enter');
    await page.waitForURL(/callback/);
    expect(app.granted().claims).toMatchObject({ workspaceId: family?.workspaceId, role: 'owner' });
    expect(app.granted().scope).toEqual(
      scope
        .split(' ')
        .filter((one) => one !== 'portfolios:read')
        .sort(),
    );
  });

  it('the consent page provides names and roles in the accessibility tree', async () => {
    await as(viewer);
    expect(await page.title()).toBe('Sandbox application asks for access');
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    const tree = await page.locator('main').ariaSnapshot();
    const named = tree
      .split('\n')
      .filter((line) => /- (?!text|paragraph|code|strong|listitem|list)/.test(line));
    expect(named).toEqual([
      '- main:',
      '  - heading "Sandbox application asks for access" [level=1]',
      '  - group: Answer as somebody else',
      '  - heading "Workspace" [level=2]',
      '  - heading "What it may do" [level=2]',
      '  - group "In the workspace":',
      '    - checkbox "Read your holdings, DeFi positions, NFTs and balances" [checked]',
      '    - checkbox "Read your wallets, exchanges, syncs and CSV imports" [checked]',
      '    - checkbox "Read the settings of the workspace" [checked]',
      '  - group "About you":',
      '    - checkbox "See your name and picture" [checked]',
      '    - checkbox "Stay connected while you are away, for up to 30 days at a time" [checked]',
      '    - checkbox "See your email address and whether it is verified" [checked]',
      '  - region "Not granted":',
      '    - heading "Not granted" [level=2]',
      '  - button "Allow"',
      '  - button "Deny"',
    ]);
    await as(accountant);
    const { nodes } = await tool.send('Accessibility.getFullAXTree');
    const described = nodes
      .filter(({ role }) => role?.value === 'radio' || role?.value === 'checkbox')
      .map(({ name, description }) => [name?.value, description?.value]);
    expect(described.slice(0, 3)).toEqual([
      [
        'Meridian Trading & Sons',
        'Your role is accountant, which does not allow 2 of the 13 requested permissions.',
      ],
      ['Lindqvist Family', 'Your role is viewer, which does not allow 6 of the 13 requested permissions.'],
      ['Read your holdings, DeFi positions, NFTs and balances', 'portfolios:read'],
    ]);
  });

  it.each([
    ['light', PHONE, viewer],
    ['dark', WIDE, accountant],
    ['light', { width: 320, height: 480 }, accountant],
  ] as const)(
    'in %s mode at %o, the consent page passes every axe-core rule',
    async (colorScheme, viewport, member) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await as(member);
      await page.getByText('Answer as somebody else').click();
      await page.evaluate(axe.source);
      const { violations, incomplete } = await page.evaluate<Pick<AxeResults, 'violations' | 'incomplete'>>(
        `axe.run(document, { resultTypes: ['violations', 'incomplete'] }).then(({ violations, incomplete }) => ({ violations, incomplete }))`,
      );
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      expect(
        incomplete.map(({ id, nodes }) => [id, nodes.map(({ html, any }) => [html, any[0]?.message])]),
      ).toEqual([]);
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(ground).toBe(colorScheme === 'dark' ? 'rgb(18, 22, 28)' : 'rgb(243, 245, 248)');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    },
  );

  it('the consent page reports a login request that is no longer open', async () => {
    const address = page.url();
    await answer('Allow');
    await page.goto(address);
    expect(await page.locator('body').ariaSnapshot()).toContain('This request is no longer open');
  });
});
