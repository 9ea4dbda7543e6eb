import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { TREE } from '../src/commands/tree.ts';
import { SETTINGS, type Setting } from '../src/config/definitions.ts';
import { EXIT_MEANINGS } from '../src/exits.ts';

// The reference parts of the README come from the code. After a change of commands or settings:
//   UPDATE_REFERENCE=1 npx vitest run test/reference.test.ts

const path = fileURLToPath(new URL('../README.md', import.meta.url));

function part(name: string): RegExp {
  return new RegExp(`(<!-- ${name}: [^>]*-->\n)([\\s\\S]*?)(<!-- /${name} -->)`);
}

function hold(name: string, expected: string): void {
  const readme = readFileSync(path, 'utf8');
  if (process.env['UPDATE_REFERENCE']) {
    writeFileSync(
      path,
      readme.replace(part(name), (_, start, __, end) => `${start}${expected}${end}`),
    );
  }
  expect(part(name).exec(readFileSync(path, 'utf8'))?.[2]).toBe(expected);
}

const cell = (text: string) => text.replaceAll('|', '\\|');

describe('the reference in the README', () => {
  test('names every command', async () => {
    const rows: string[] = [];
    for (const { name, load } of TREE) {
      const { verbs, alone } = await load();
      for (const verb of verbs) {
        const words = ['cryptodata', name, ...(verb.name === name || verb.name === alone ? [] : [verb.name])];
        const operands = (verb.operands ?? []).map(({ written }) => written);
        rows.push(`| \`${cell([...words, ...operands].join(' '))}\` | ${cell(verb.summary)} |\n`);
      }
    }
    hold('commands', `| command | does |\n|---|---|\n${rows.join('')}`);
  });

  test('names every setting', () => {
    const rows = SETTINGS.map((setting: Setting) => {
      const { key, describe, env, flag, default: otherwise } = setting;
      const ways = [flag ? `\`--${flag}\`` : '', env ? `\`${env}\`` : ''];
      const fallback =
        otherwise && otherwise.length < 40
          ? `\`${otherwise}\``
          : otherwise
            ? "the service's default set"
            : '';
      return `| \`${key}\` | ${cell(describe)} | ${ways.join(' | ')} | ${fallback} |\n`;
    });
    hold(
      'settings',
      `| setting | is | flag | environment | default |\n|---|---|---|---|---|\n${rows.join('')}`,
    );
  });

  test('gives every exit code', () => {
    const readme = readFileSync(path, 'utf8');
    for (const [code, meaning] of EXIT_MEANINGS) {
      expect(readme.replaceAll('`', '')).toContain(`| ${code} | ${meaning} |`);
    }
  });
});
