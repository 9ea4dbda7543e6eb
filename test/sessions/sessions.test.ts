import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bash, sandboxed, temporary } from '../e2e/harness.ts';
import { needs } from '../needs.ts';

// Each .txt file is one terminal session. Its commands run from top to bottom, in one directory and with one sandbox.
//
// A line that starts with # is a comment. A line that starts with $ is a bash command. A line that starts with an exclamation
// mark is expected on stderr. A line such as [2] contains the expected exit code (default: 0). All other lines are expected on
// stdout.
//
// If the placeholder `{...}` is alone on a line, it matches any number of lines. Within a line, it matches any text. The names
// in PLACEHOLDERS, such as `{number}`, match values that differ between runs. `{negative}`, `{withoutBalance}`, `{ledgers}` and
// `{uid}` match values from the sandbox.
//
// The number of spaces between words is ignored, because column alignment is tested elsewhere.

type Placeholders = Readonly<Record<string, string>>;

const PLACEHOLDERS: Placeholders = {
  '...': '.*',
  number: '[\\d,]+',
  decimal: '-?\\d+(?:\\.\\d+)?',
  id: '[a-z]+_[0-9a-f]+',
  word: '\\w+',
  hash: '[0-9a-f]{64}',
  path: '/\\S+',
  time: '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z',
  url: 'https?://\\S+',
};

interface Step {
  readonly command: string;
  readonly out: string[];
  readonly err: string[];
  code: number;
}

function readSession(text: string): Step[] {
  const steps: Step[] = [];
  for (const line of text.split('\n')) {
    const last = steps.at(-1);
    const code = /^\[(\d+)\]$/.exec(line)?.[1];
    if (line === '' || line.startsWith('# ')) continue;
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), out: [], err: [], code: 0 });
    else if (last === undefined) throw new Error(`no command before: ${line}`);
    else if (code !== undefined) last.code = Number(code);
    else if (line.startsWith('! ')) last.err.push(line.slice(2));
    else last.out.push(line);
  }
  return steps;
}

/** Builds a pattern that must match the whole output. */
function patternOf(lines: readonly string[], more: Placeholders = {}): RegExp {
  const parts = lines.map((line) =>
    line === '{...}' ? '(?:.*\\n)*' : `${linePattern(line, { ...PLACEHOLDERS, ...more })}\\n`,
  );
  return new RegExp(`^${parts.join('')}$`);
}

function linePattern(line: string, placeholders: Placeholders): string {
  return line
    .split(/(\{[a-zA-Z.]+\}|\s+)/)
    .map((part) => placeholderOf(part, placeholders) ?? (/^\s+$/.test(part) ? ' +' : literal(part)))
    .join('');
}

function placeholderOf(part: string, placeholders: Placeholders): string | undefined {
  return part.startsWith('{') ? placeholders[part.slice(1, -1)] : undefined;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

const directory = import.meta.dirname;
const files = readdirSync(directory).filter((name) => name.endsWith('.txt'));

describe.skipIf(!needs('jq', 'curl')).for(files)('%s', async (file) => {
  const sandbox = await sandboxed();
  const cwd = temporary();
  const env = {
    ...sandbox.env,
    CRYPTODATA_CONFIG_DIR: join(cwd, '.config'),
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: 'correct horse',
  };
  const { negative, withoutBalance, ledgers, uid } = sandbox.truth;
  const known = { negative: `${negative}`, withoutBalance: `${withoutBalance}`, ledgers: `${ledgers}`, uid };
  const steps = readSession(readFileSync(join(directory, file), 'utf8'));

  test.for(steps.map((step) => [step.command, step] as const))('$ %s', async ([command, step]) => {
    const { code, stdout, stderr } = await bash(command, { env, cwd });
    expect(code, stderr).toBe(step.code);
    expect(stdout).toMatch(patternOf(step.out, known));
    expect(stderr).toMatch(patternOf(step.err, known));
  });
});

test('the pattern of a session accepts the expected output and rejects any other output', () => {
  const [step] = readSession('$ x\nid {id}\n{...}\nend\n! {number} rows\n[3]');
  expect(step).toEqual({ command: 'x', out: ['id {id}', '{...}', 'end'], err: ['{number} rows'], code: 3 });
  const pattern = patternOf(step?.out ?? []);
  expect('id   led_0a\nmore\nend\n').toMatch(pattern);
  expect('id led_0a\nend\n').toMatch(pattern);
  for (const wrong of [
    '',
    'id led_0a\n',
    'id led_0a\nend',
    'id LED\nend\n',
    'x\nid led_0a\nend\n',
    'id led_0a\nend\nx\n',
  ]) {
    expect(wrong).not.toMatch(pattern);
  }
});
