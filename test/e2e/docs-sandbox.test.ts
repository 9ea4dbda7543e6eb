import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { consent } from './browser.ts';
import { bash, launch, ROOT, sandboxed } from './harness.ts';

/** Returns the lines of the first shell example after the text `start`. */
function exampleIn(page: string, start: string): string[] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(text.slice(text.indexOf(start))) ?? [];
  return block.trim().split('\n');
}

test('the example of a control endpoint in docs/sandbox.md edits a leg', async () => {
  const { env } = await sandboxed({ rows: 100 });
  const lines = exampleIn('sandbox.md', '## Control endpoints');
  const { code, stdout, stderr } = await bash(lines.join('\n'), { env });
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout).data).toMatchObject({ quantity: '0.5', isEdited: true });
});

test('the sandbox example in docs/profiles.md logs in two profiles, and reads the data of both', async () => {
  const [shell = '', ...lines] = exampleIn('profiles.md', 'To try this without an account');
  const port = await freePort();
  const script = ['acme', 'birch']
    .map((name) => `cryptodata config set redirect_uri http://127.0.0.1:${port}/callback -p ${name}`)
    .concat(lines)
    .join(' && ')
    .replace(/cryptodata login/g, 'cryptodata login --no-browser');
  expect(shell).toBe('cryptodata sandbox exec --credential none -- bash');
  const running = launch('bash', ['-c', `${shell} -c '${script.replace(/#.*$/m, '')}'`]);
  for (const logins of [1, 2]) {
    const said = await running.said(
      new RegExp(`(?:[^]*?http://[^\\s"]+/oidc/auth\\?[^\\s"\\\\]+){${logins}}`),
    );
    await fetch(await consent(said.slice(said.lastIndexOf('http://'))));
  }
  const { code, stdout, stderr } = await running.ended;
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/acme[\s\S]*birch/);
});
