import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';
import { EXIT_MEANINGS } from '../src/cli/exits.ts';
import { TREE } from '../src/commands/tree.ts';
import { SETTINGS, type Setting } from '../src/config/definitions.ts';
import { CREDENTIALS, OTHER_VARIABLES } from '../src/config/variables.ts';
import { holdPart } from './generated-part.ts';

// Parts of the docs are generated from the code. After you change commands, settings or exit codes, run:
// UPDATE_REFERENCE=1 npx vitest run test/reference.test.ts

const REFERENCE = fileURLToPath(new URL('../docs/reference.md', import.meta.url));
const SCRIPTING = fileURLToPath(new URL('../docs/scripting.md', import.meta.url));

const cell = (text: string) => text.replaceAll('|', '\\|');

describe('the reference docs', () => {
  test('the reference docs list every command', async () => {
    const rows: string[] = [];
    for (const { name, load } of TREE) {
      const { verbs, alone } = await load();
      for (const verb of verbs) {
        const words = ['cryptodata', name, ...(verb.name === name || verb.name === alone ? [] : [verb.name])];
        const operands = (verb.operands ?? []).map(({ written }) => written);
        rows.push(`| \`${cell([...words, ...operands].join(' '))}\` | ${cell(verb.summary)} |\n`);
      }
    }
    holdPart(REFERENCE, 'commands', `| command | does |\n|---|---|\n${rows.join('')}`);
  });

  test('the reference docs list every setting', () => {
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
    holdPart(
      REFERENCE,
      'settings',
      `| setting | is | flag | environment | default |\n|---|---|---|---|---|\n${rows.join('')}`,
    );
  });

  test('the reference docs list every environment variable that is not a setting', () => {
    const rows = [...CREDENTIALS, ...OTHER_VARIABLES].map(
      ({ name, describe }) => `| \`${name}\` | ${cell(describe)} |\n`,
    );
    holdPart(REFERENCE, 'variables', `| environment variable | is |\n|---|---|\n${rows.join('')}`);
  });

  test('the reference docs list every exit code', () => {
    const rows = [...EXIT_MEANINGS].map(([code, meaning]) => `| ${code} | ${cell(meaning)} |\n`);
    holdPart(SCRIPTING, 'exit codes', `| exit code | meaning |\n|---|---|\n${rows.join('')}`);
  });
});
