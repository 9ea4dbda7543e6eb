import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { consent } from './browser.ts';
import { sandboxed, start, temporary } from './harness.ts';
import { loginUrl, newcomer } from './newcomer.ts';

/** Returns a value for PATH, so that the command `xdg-open` runs `script`. */
function opener(script: string): string {
  const bin = join(temporary(), 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return `${bin}:${process.env['PATH'] ?? ''}`;
}

describe.runIf(process.platform === 'linux')('login', () => {
  test('login opens the URL that it prints, and passes no secrets to the environment of the browser', async () => {
    const sandbox = await sandboxed();
    const { env } = await newcomer(sandbox, { cheap: true });
    const seen = join(temporary(), 'seen');
    const PATH = opener(`{ echo "$1"; env; } > '${seen}.tmp'; mv '${seen}.tmp' '${seen}'`);
    const login = start(['login'], { env: { ...env, PATH } });
    const url = await loginUrl(login);
    while (!existsSync(seen)) await new Promise((resolve) => setTimeout(resolve, 50));
    const [opened, ...environment] = readFileSync(seen, 'utf8').split('\n');
    expect(opened).toBe(url);
    expect(environment.join('\n')).toContain('PATH=');
    for (const secret of [sandbox.clientSecret, env['CRYPTODATA_PASSPHRASE'] ?? 'none']) {
      expect(environment.join('\n')).not.toContain(secret);
    }
    await fetch(await consent(url));
    expect(await login.ended).toMatchObject({ code: 0 });
  });

  test.each([
    ['fails', 'exit 3'],
    ['does not exist', undefined],
  ])('login prints the URL and continues if the program xdg-open %s', async (_, script) => {
    const sandbox = await sandboxed();
    const { env } = await newcomer(sandbox, { cheap: true });
    const login = start(['login'], {
      env: { ...env, PATH: script === undefined ? temporary() : opener(script) },
    });
    await login.said(/Cannot open a browser/);
    await fetch(await consent(await loginUrl(login)));
    expect(await login.ended).toMatchObject({ code: 0 });
  });
});
