import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { consent } from './browser.ts';
import { bash, ROOT, sandboxed, start, temporary } from './harness.ts';
import { loginUrl, newcomer } from './newcomer.ts';

const sandbox = await sandboxed({ rows: 250 });

function linesOf(page: string): string[] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
}

test('every command in docs/closing.md succeeds, from login to the finished pack', async () => {
  const { env } = await newcomer(sandbox, { cheap: true });
  const cwd = temporary();
  const lines = linesOf('closing.md');
  expect(lines[0]).toBe('cryptodata login');
  expect(lines.length).toBeGreaterThan(15);

  const login = start(['login', '--no-browser'], { env });
  await fetch(await consent(await loginUrl(login)));
  expect((await login.ended).code).toBe(0);

  const found = { FINDING_ID: '', LEDGER_ID: '' };
  for (const line of lines.slice(1)) {
    const command = line.replace(/FINDING_ID|LEDGER_ID/g, (name) => found[name as keyof typeof found]);
    const { code, stdout, stderr } = await bash(command, { env, cwd });
    expect(code, `${command}\n${stdout}\n${stderr}`).toBe(0);
    if (line !== 'cryptodata audit --period 2025-Q3') continue;
    const { stdout: json } = await bash(`${line} --check negative-balance --json`, { env, cwd });
    const [finding] = JSON.parse(json).findings;
    Object.assign(found, { FINDING_ID: finding.id, LEDGER_ID: finding.ledgerId });
  }
  expect(found.FINDING_ID).toMatch(/^negative-balance-/);
  const readme = readFileSync(join(cwd, '2025-Q3', 'README.txt'), 'utf8');
  expect(readme).toContain('(Europe/Berlin)');
  expect(readFileSync(join(cwd, '2025-Q3', 'accepted.csv'), 'utf8')).toContain('agreed with the client');
});
