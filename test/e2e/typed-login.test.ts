import { describe, expect, test } from 'vitest';
import { needs } from '../needs.ts';
import { Browser } from './browser.ts';
import { sandboxed } from './harness.ts';
import { newcomer } from './newcomer.ts';
import { terminal } from './tmux.ts';

describe.skipIf(!needs('tmux'))('a login on a server without a desktop', () => {
  test('prompts for the client secret, a new passphrase (twice) and the redirect URL', async () => {
    const sandbox = await sandboxed({ oneOrigin: true });
    const { env } = await newcomer(sandbox);
    const { CRYPTODATA_PASSPHRASE: _, CRYPTODATA_CLIENT_SECRET: secret = '', ...others } = env;
    const screen = terminal('cryptodata login --no-browser', { columns: 200 }, others);
    await screen.shows(/Client secret/);
    screen.type(secret);
    screen.press('Enter');
    await screen.shows(/Choose a passphrase/);
    screen.type('correct horse battery');
    screen.press('Enter');
    await screen.shows(/Repeat it/);
    screen.type('correct horse battery');
    screen.press('Enter');
    await screen.shows(/paste\s+the\s+address\s+of\s+that\s+page/);
    // The terminal wraps the URL over several lines.
    const address =
      /https?:\S+\/oidc\/auth\?[\s\S]*?code_challenge_method=S256/.exec(screen.screen())?.[0] ?? '';
    const browser = new Browser(sandbox.url);
    const page = await browser.visit(address.replaceAll(/\s/g, ''));
    const ended = await browser.submit(page, [['decision', 'allow']]);
    screen.type(ended.url);
    screen.press('Enter');
    await screen.shows(/^exit=\d+$/m);
    expect(screen.screen()).toMatch(/^exit=0$/m);
    expect(screen.screen()).toContain('Meridian Trading & Sons');
    for (const typed of [secret, 'correct horse battery']) expect(screen.screen()).not.toContain(typed);
  });
});
