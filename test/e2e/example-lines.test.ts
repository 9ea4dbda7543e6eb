import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Noun } from '../../src/cli/define.ts';
import { TREE } from '../../src/commands/tree.ts';
import { beginHere, type Env, ROOT, run, temporary } from './harness.ts';
import { sendJson, stub } from './stub.ts';

// Runs the examples in help and in the documents, like a user who copies them. The service refuses every request, so a command
// exits with 2 only if its command line is wrong.

const nouns: readonly Noun[] = await Promise.all(TREE.map((lazy) => lazy.load()));
const pages = ['README.md', 'docs', 'skills/cryptodata'].flatMap((name) =>
  name.endsWith('.md')
    ? [name]
    : readdirSync(join(ROOT, name)).flatMap((file) => (file.endsWith('.md') ? [`${name}/${file}`] : [])),
);

/** The scripts of each place: the lines of a help, or the blocks of a page. */
const places: readonly (readonly [place: string, scripts: readonly string[]])[] = [
  ['cryptodata --help', linesOf((await run(['--help'])).stdout)],
  ...nouns.flatMap(({ name, verbs }) =>
    verbs.map((verb) => [`the help of ${name} ${verb.name}`, verb.examples.map(({ line }) => line)] as const),
  ),
  ...pages.map((page) => [page, blocksOf(readFileSync(join(ROOT, page), 'utf8'))] as const),
];

function linesOf(help: string): string[] {
  return [...help.matchAll(/^ {2}(cryptodata .*)$/gm)].map(([, line = '']) => line);
}

function blocksOf(page: string): string[] {
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
}

/**
 * Instead of running a `cryptodata` command, records its words. The output of `cryptodata` and of each missing program can be
 * used as an id or a time.
 */
const RECORDER = `cryptodata() { printf '%s\\0' "$@" $'\\n' >> "$RECORDED"; command_not_found_handle; }
command_not_found_handle() { echo 2025-01-01T00:00:00Z; }
export -f cryptodata command_not_found_handle
`;

/** Runs each argument as a script, in a folder of its own. */
const RUNNER = `${RECORDER}for script; do at=$((at + 1)); (cd $at; RECORDED=$PWD/.recorded; eval "$script"); done`;

/** Returns the words of each command line in each script. One bash runs all scripts, but finds no other program. */
function commandLines(scripts: readonly string[]): string[][][] {
  const cwd = temporary();
  const folders = scripts.map((script, at) => {
    const folder = join(cwd, String(at + 1));
    mkdirSync(folder);
    writeFileSync(join(folder, '.recorded'), '');
    for (const [, file = ''] of script.matchAll(/ < (\w[\w.]*)$/gm)) writeFileSync(join(folder, file), '');
    return folder;
  });
  const env = { PATH: '/nowhere', HOME: cwd, RECORDED: '' };
  spawnSync('/bin/bash', ['-c', RUNNER, 'bash', ...scripts], { cwd, env, timeout: 60_000 });
  return folders.map((folder) => linesIn(readFileSync(join(folder, '.recorded'), 'utf8')));
}

function linesIn(recorded: string): string[][] {
  const lines: string[][] = [];
  let words: string[] = [];
  for (const word of recorded.split('\0').slice(0, -1)) {
    if (word !== '\n') {
      words.push(word);
      continue;
    }
    lines.push(words);
    words = [];
  }
  return lines.flatMap((line) => {
    const inner = line[0] === 'sandbox' ? line.slice(line.indexOf('cryptodata')) : ['', ...line];
    return isEndless(inner.slice(1)) ? [] : [inner.slice(1)];
  });
}

/** Whether a command line serves requests, waits for a person, or changes the settings of a shell. */
function isEndless([noun = '', verb]: readonly string[]): boolean {
  return /^(|sandbox|login|mcp)$/.test(noun) || verb === 'listen' || verb === 'install';
}

/** Reasons to exit with 2 that are not in the command line: files, profiles and credentials that the test does not have. */
const ELSEWHERE = [
  /does not exist|manifest exists|no such file|is not a mirror|has no workspace|is not a filing pack/,
  /Confirmation required|CRYPTODATA_ACCESS_TOKEN is set|needs an enterprise API key/,
  /environment variable \w+ is not set|does not answer like a sandbox/,
];

const { url, env } = await stub((_request, response) => sendJson(response, 403, '{"error":"no"}'));
const complete: Env = {
  ...env,
  CRYPTODATA_CLIENT_ID: 'client',
  CRYPTODATA_CLIENT_SECRET: 'secret',
  CRYPTODATA_LEGACY_BASE_URL: url,
  CRYPTODATA_LEGACY_PUBLIC_URL: url,
};

async function rejected(...scripts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const lines of commandLines(scripts)) {
    const [cwd, own] = [temporary(), { ...complete, CRYPTODATA_CONFIG_DIR: temporary() }];
    for (const line of lines) {
      const { code, stderr } = await beginHere(line, { cwd, env: own, input: '{}' }).ended;
      if (code === 2 && !ELSEWHERE.some((reason) => reason.test(stderr)))
        found.push(`cryptodata ${line.join(' ')}: ${stderr}`);
    }
  }
  return found;
}

describe('examples', () => {
  test.for(places)('the command lines in %s are complete and valid', async ([, scripts]) => {
    expect(await rejected(...scripts)).toEqual([]);
  });

  test('the check reports an example that lacks a required flag', async () => {
    const line = 'cryptodata csv check *.csv && cryptodata csv upload *.csv --yes';
    expect(await rejected(line)).toEqual([expect.stringContaining('form field for the files is missing')]);
    expect(await rejected(`cryptodata config set csv_field files && ${line}`)).toEqual([]);
    expect(await rejected(`cryptodata sandbox exec -- ${line}`)).toHaveLength(1);
  });
});
