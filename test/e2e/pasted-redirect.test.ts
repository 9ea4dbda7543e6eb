import { describe, expect, test } from 'vitest';
import { needs } from '../needs.ts';
import { Browser } from './browser.ts';
import { type Env, sandboxed } from './harness.ts';
import { newcomer } from './newcomer.ts';
import { type Terminal, terminal } from './tmux.ts';

// Uses a real terminal of 80 columns, where the login URL and the pasted text span many lines.

describe.skipIf(!needs('tmux'))('login in a terminal with 80 columns', async () => {
  const sandbox = await sandboxed({ oneOrigin: true });

  async function waiting(args = ''): Promise<{ screen: Terminal; ended: string; env: Env }> {
    const { env } = await newcomer(sandbox, { cheap: true });
    const screen = terminal(
      // Print the terminal state at the end.
      `cryptodata login --no-browser ${args}; code=$?; stty -a | tr ';' '\\n'; (exit $code)`,
      { columns: 80 },
      env,
    );
    await screen.shows(/paste\s+the\s+address\s+of\s+that\s+page/);
    const address =
      /https?:\S+\/oidc\/auth\?[\s\S]*?code_challenge_method=S256/.exec(screen.screen())?.[0] ?? '';
    const browser = new Browser(sandbox.url);
    const page = await browser.visit(address.replaceAll(/\s/g, ''));
    const { url } = await browser.submit(page, [['decision', 'allow']]);
    return { screen, ended: url, env };
  }

  async function ends(screen: Terminal, code: number): Promise<void> {
    expect(await screen.shows(/^exit=\d+$/m)).toBe(`exit=${code}`);
    expect(screen.screen()).toMatch(/ icanon /);
    expect(screen.screen()).toMatch(/ echo /);
  }

  async function succeeds(screen: Terminal): Promise<void> {
    await ends(screen, 0);
    expect(screen.screen()).toContain('Meridian Trading & Sons');
  }

  test('accepts a pasted URL longer than 4,095 bytes, the limit of a terminal line', async () => {
    const { screen, ended } = await waiting();
    const query = ended.slice(ended.indexOf('?') + 1);
    screen.paste(`${ended.split('?')[0]}?iss=${'x'.repeat(6000)}&${query}`);
    screen.press('Enter');
    await succeeds(screen);
  });

  test('accepts a URL that was pasted as several lines (bracketed paste)', async () => {
    const { screen, ended } = await waiting();
    const lines = ended.match(/.{1,60}/g) ?? [];
    screen.paste(`\u001b[200~${lines.join('\n')}\u001b[201~`);
    screen.press('Enter');
    await succeeds(screen);
  });

  test('rejects the redirect URL of a different login, and then accepts the query string of the right URL', async () => {
    const { screen, ended } = await waiting();
    screen.paste(ended.replace(/state=[^&]*/, 'state=of-another-login'));
    screen.press('Enter');
    await screen.shows(/belongs\s+to\s+another\s+login/);
    screen.paste(`"${ended.slice(ended.indexOf('?'))}"`);
    screen.press('Enter');
    await succeeds(screen);
  });

  test('login accepts the browser redirect while the user types a URL', async () => {
    const { screen, ended } = await waiting();
    screen.type('http://127.0');
    await fetch(ended);
    await succeeds(screen);
    expect(screen.screen()).not.toMatch(/stdin\s+has\s+ended|not\s+the\s+final\s+address/);
  });

  test('exits with 130 after Ctrl-C, and restores the terminal', async () => {
    const { screen } = await waiting();
    screen.type('half a li');
    screen.press('C-c');
    await ends(screen, 130);
    expect(screen.screen()).toContain('Interrupted');
  });

  test('after Ctrl-D, waits for the browser redirect until --timeout expires', async () => {
    const { screen } = await waiting('--timeout 1');
    screen.press('C-d');
    await ends(screen, 3);
    expect(screen.screen()).toContain('The login was not completed within 1 s');
  });
});
