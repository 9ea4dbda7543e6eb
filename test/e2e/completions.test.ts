import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { shellWord } from '../../src/core/text.ts';
import { OUTPUT_FORMATS } from '../../src/formats/registry.ts';
import { needs } from '../needs.ts';
import { cases } from '../runs.ts';
import { bash, type Env, filesIn, launch, ROOT, run, temporary } from './harness.ts';
import { type Terminal, terminal } from './tmux.ts';

// Runs the scripts in completions/ in real shells, and checks what Tab offers after each line.

const SCRIPTS = join(ROOT, 'completions');

interface Case {
  readonly typed: string;
  /** All words that the completion must offer, in any order. */
  readonly offers: readonly string[];
}

const offers = (typed: string, ...words: string[]): Case => ({ typed, offers: words });

const YEAR = new Date().getFullYear();

const CASES: readonly Case[] = [
  offers('cryptodata led', 'ledgers'),
  offers('cryptodata ledgers e', 'explain', 'export'),
  offers('cryptodata ledgers --sort', '--sort-by', '--sort-order'),
  offers('cryptodata ledgers list --types ', 'incoming', 'outgoing', 'fee'),
  // Profile names come from config.toml and from session files.
  offers('cryptodata -p ', 'acme', 'be.ta', 'gone'),
  // files and folders
  offers('cryptodata csv check jan', 'january.csv'),
  offers('cryptodata close verify 20', '2025-Q3/'),
  // flags
  offers('cryptodata -o json ledgers list --has', '--has-missing-price', '--has-missing-asset'),
  offers('cryptodata ledgers list --qui', '--quiet'),
  offers('cryptodata ledgers list --has-missing-price --type', '--types'),
  // values
  offers('cryptodata -o ', ...OUTPUT_FORMATS),
  offers('cryptodata ledgers list --has-missing-price ', 'true', 'false'),
  offers('cryptodata ledgers export --format p', 'parquet'),
  offers('cryptodata txns --preset ', 'uncategorized', 'high-pnl', 'missing-purchases', 'missing-prices'),
  offers('cryptodata audit --check neg', 'negative-balance'),
  offers('cryptodata ledgers --period last-', 'last-year', 'last-quarter', 'last-month'),
  offers(`cryptodata ledgers --since 2025 --period ${YEAR}-H`, `${YEAR}-H1`, `${YEAR}-H2`),
  offers('cryptodata ledgers --columns asset.s', 'asset.symbol'),
  offers('cryptodata balances --tz Europe/Berl', 'Europe/Berlin'),
  offers('cryptodata config set client_i', 'client_id'),
  offers('cryptodata api GET /v1/l', '/v1/ledgers', '/v1/labels'),
  offers('cryptodata events trigger integration.f', 'integration.failed'),
  offers('cryptodata sandbox scenario pa', 'partial-sync'),
  offers('cryptodata profiles use b', 'be.ta'),
  // Completion also works after `help` and after `--`.
  offers('cryptodata help ledgers exp', 'explain', 'export'),
  offers('cryptodata help errors PERIOD', 'PERIOD_LOCKED'),
  offers('cryptodata sandbox exec --rows 5 -- cryptodata ledgers neg', 'negative'),
];

/** The cases for shells other than bash. The program computes the words, so they differ little between shells. */
const SOME_CASES = cases(CASES, 7);

/**
 * Lines in which the completion replaces only a part of the last word. `completed` is the whole last word after the completion.
 */
const UNIQUE: readonly (readonly [typed: string, completed: string])[] = [
  ['cryptodata ledgers list --types=inc', '--types=incoming'],
  ['cryptodata ledgers list --types incoming,f', 'incoming,fee'],
  ['cryptodata --profile=ac', '--profile=acme'],
  ['cryptodata ledgers -p acme,b', 'acme,be.ta'],
  ['cryptodata ledgers --columns id,+asset.s', 'id,+asset.symbol'],
  ['cryptodata login --scopes +contacts:r', '+contacts:read'],
  // another command after --
  ['cryptodata sandbox exec --rows 5 -- cryptod', 'cryptodata'],
  ['cryptodata sandbox exec --rows 5 -- cat jan', 'january.csv'],
  ['cryptodata sync resync-all -d @jan', '@january.csv'],
  // Values that are already in a list are not offered again.
  ['cryptodata ledgers list --types fee,incoming,', 'fee,incoming,outgoing'],
  ['cryptodata ledgers list --types fee --types=incoming,', '--types=incoming,outgoing'],
  ['cryptodata --all-profiles ledgers -p acme,gone,', 'acme,gone,be.ta'],
  // Names of wallets come from the mirror. They may contain text that a shell would run.
  ['cryptodata audit --mirror books --wallet Col', 'Cold Store'],
  ['cryptodata audit --mirror ~/books --wallet "Col', 'Cold Store'],
  ["cryptodata audit --mirror 'books' --wallet Ev", 'Evil $(touch pwned);touch pwned'],
];

let folder = '';
let env: Env = {};

beforeAll(() => {
  folder = temporary();
  const config = join(folder, 'config');
  mkdirSync(join(config, 'sessions'), { recursive: true });
  writeFileSync(
    join(config, 'config.toml'),
    '# mine\nprofile = "acme"\n\n[profiles.acme]\nclient_id = "x"\n[ profiles."be.ta" ] # two\n',
  );
  writeFileSync(join(config, 'sessions', 'gone.session'), '');
  writeFileSync(join(config, 'sessions', 'acme.session'), '');
  mkdirSync(join(folder, '2025-Q3'));
  writeFileSync(join(folder, 'january.csv'), '');
  const log = join(folder, 'books', 'integrations', '_delta_log');
  mkdirSync(log, { recursive: true });
  const accounts = ['Cold Store', 'Evil $(touch pwned);touch pwned', 'A\u001b[2Jclear', 'w1'];
  const add = { path: 'a.parquet', tags: { accounts: JSON.stringify(accounts) } };
  writeFileSync(join(log, `${'0'.repeat(20)}.json`), `{"protocol":{}}\n${JSON.stringify({ add })}\n`);
  env = { CRYPTODATA_CONFIG_DIR: config, HOME: folder };
});

/** Prints marker lines, so that the text between two of them is the output of one completion. */
async function mark(shell: Terminal, at: number): Promise<void> {
  // The expression differs from its value, so the typed line does not look like a marker.
  shell.type(`echo mark-$((${at}))`);
  shell.press('Enter');
  await shell.shows(new RegExp(`^mark-${at}$`, 'm'));
}

/** Types a line and presses keys. Returns the terminal text up to the next marker. The marker `at - 1` must be on the screen. */
async function textAfter(shell: Terminal, at: number, typed: string, keys: string[]): Promise<string> {
  shell.type(typed);
  shell.press(...keys, 'C-u');
  await mark(shell, at);
  const [, text = ''] = new RegExp(`^mark-${at - 1}$([^]*)^mark-${at}$`, 'm').exec(shell.screen()) ?? [];
  return text;
}

const sorted = (words: readonly string[]) => [...words].sort();

describe.skipIf(!needs('tmux', 'bash'))('bash', () => {
  test('bash completes commands, flags, values, profiles and files', async () => {
    const setup = join(folder, 'setup.bash');
    // In bash, the key M-* inserts all completions. The function `cryptodata` prints the words of its command line.
    writeFileSync(
      setup,
      `PS1='> '; source ${shellWord(join(SCRIPTS, 'cryptodata.bash'))}; cryptodata() { printf '<%s>' "$@"; echo; }; cd '${folder}'\n`,
    );
    const shell = terminal(`exec bash --noprofile --rcfile '${setup}' -i`, { columns: 500 }, env);
    await mark(shell, 0);
    let at = 0;
    const wordsAfter = async (typed: string, ...keys: string[]) => {
      at += 1;
      const text = await textAfter(shell, at, typed, [...keys, 'Enter']);
      return [...(text.split('\n').find((line) => line.startsWith('<')) ?? '').matchAll(/<([^>]*)>/g)].map(
        ([, word]) => word ?? '',
      );
    };
    for (const { typed, offers } of CASES) {
      const before = typed.split(' ').length - 2;
      const folderless = offers.map((word) => word.replace(/\/$/, ''));
      expect(sorted((await wordsAfter(typed, 'M-*')).slice(before)), typed).toEqual(sorted(folderless));
    }
    for (const [typed, completed] of UNIQUE) {
      expect((await wordsAfter(typed, 'Tab')).at(-1), typed).toBe(completed);
    }
    // --limit takes a number, so no file name is offered.
    expect(await wordsAfter('cryptodata ledgers list --limit jan', 'Tab')).toEqual([
      ...['ledgers', 'list', '--limit', 'jan'],
    ]);
  });
});

test('inside an open quote, bash completion does not offer names that contain shell syntax', async () => {
  const typed = (word: string) =>
    `COMP_LINE='cryptodata audit --mirror books --wallet "${word}' COMP_POINT=99; _cryptodata cryptodata ${word}; printf '<%s>' "\${COMPREPLY[@]}"`;
  const script = `source ${shellWord(join(SCRIPTS, 'cryptodata.bash'))}; ${typed('Col')}; ${typed('Ev')}`;
  const { stdout } = await bash(script, { env, cwd: folder });
  expect(stdout).toBe('<Cold Store><>');
});

describe.skipIf(!needs('tmux', 'zsh'))('zsh', () => {
  test('zsh completes commands, flags, values, profiles and files', async () => {
    // With these settings, Ctrl-T lists the matches, and the list stays on the screen.
    writeFileSync(
      join(folder, '.zshrc'),
      `PS1='> '; fpath=(${shellWord(SCRIPTS)} $fpath); autoload -Uz compinit; compinit -u
zstyle ':completion:*' verbose no; LISTMAX=0; unsetopt alwayslastprompt; setopt listtypes
bindkey '^T' list-choices; cd '${folder}'
cryptodata() { printf '<%s>' "$@"; echo; }\n`,
    );
    const shell = terminal('exec zsh -i', { columns: 500 }, env);
    await mark(shell, 0);
    let at = 0;
    for (const { typed, offers } of SOME_CASES) {
      at += 1;
      const text = await textAfter(shell, at, typed, ['C-t']);
      const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('>'));
      expect(sorted(lines.join(' ').split(/\s+/).filter(Boolean)), typed).toEqual(sorted(offers));
    }
    for (const [typed, completed] of UNIQUE) {
      at += 1;
      const text = await textAfter(shell, at, typed, ['Tab', 'Space', 'Enter']);
      expect(text, typed).toContain(`<${completed}>\n`);
    }
  });

  test('the zsh completion script reports a missing compinit', async () => {
    const script = `source ${shellWord(join(SCRIPTS, '_cryptodata'))}`;
    const { stderr } = await launch('zsh', ['-f', '-c', script]).ended;
    expect(stderr).toContain('compinit');
  });
});

describe.skipIf(!needs('fish'))('fish', () => {
  const complete = async (typed: string): Promise<string[]> => {
    const script = `source ${shellWord(join(SCRIPTS, 'cryptodata.fish'))}; complete -C (cat)`;
    const done = launch('fish', ['--no-config', '-c', script], { env, cwd: folder, input: typed });
    const { code, stdout, stderr } = await done.ended;
    expect({ code, stderr }, typed).toEqual({ code: 0, stderr: '' });
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => line.replace(/\t.*/, ''));
  };

  test.each(SOME_CASES)('offers $offers after "$typed"', async ({ typed, offers }) => {
    expect(sorted(await complete(typed))).toEqual(sorted(offers));
  });

  test.each(UNIQUE)('completes "%s" to "%s"', async (typed, completed) => {
    expect(await complete(typed)).toEqual([completed]);
  });

  test('fish completion describes commands and flags', async () => {
    const script = `source ${shellWord(join(SCRIPTS, 'cryptodata.fish'))}; complete -C 'cryptodata ledgers list --type'`;
    const { stdout } = await launch('fish', ['--no-config', '-c', script], { env }).ended;
    expect(stdout).toBe('--types\tlegs of these types\n');
  });
});

describe('__complete', () => {
  test.each([
    ['no argument', []],
    ['a line', ['--line', 'cryptodata -p ', '']],
    ['words', ['--', 'audit', '--mirror', '/dev/null', '--wallet', '']],
  ])('exits with 0 and writes nothing to stderr if no file can be read: %s', async (_, words) => {
    const result = await run(['__complete', ...words], {
      env: { CRYPTODATA_CONFIG_DIR: '/dev/null', HOME: '' },
    });
    expect(result).toMatchObject({ code: 0, stderr: '' });
  });

  test.skipIf(process.platform !== 'linux')(
    'exits with 0 and writes nothing to stderr if the disk is full',
    async () => {
      const { stdout } = await bash('cryptodata __complete -- "" 2>&1 >/dev/full; echo $?');
      expect(stdout).toBe('0\n');
    },
  );

  test.each(readdirSync(SCRIPTS))('%s has at most 60 lines and contains no command name', (file) => {
    const text = readFileSync(join(SCRIPTS, file), 'utf8');
    expect(text.split('\n').length).toBeLessThanOrEqual(61);
    expect(text).not.toMatch(/ledgers|--types/);
  });
});

describe('completion', () => {
  test.each([
    ['bash', 'cryptodata.bash'],
    ['zsh', '_cryptodata'],
    ['fish', 'cryptodata.fish'],
    ['powershell', 'cryptodata.ps1'],
  ])('the command "completion %s" prints completions/%s if a setting is invalid', async (shell, file) => {
    const { code, stdout, stderr } = await run(['completion', shell], {
      env: { CRYPTODATA_OUTPUT: 'xml' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(readFileSync(join(SCRIPTS, file), 'utf8'));
  });

  test('bash can load the completion script with "source <(cryptodata completion bash)"', async () => {
    const line = 'source <(cryptodata completion bash); complete -p cryptodata';
    expect((await bash(line)).stdout).toContain('-F _cryptodata cryptodata');
  });
});

describe('completion install', () => {
  const install = async (home: string, ...args: string[]) => {
    const line = ['completion', 'install', '--json', ...args];
    const { code, stdout, stderr } = await run(line, { env: { HOME: home, SHELL: '/bin/bash' } });
    return { code, stderr, record: stdout === '' ? undefined : JSON.parse(stdout) };
  };
  const script = (file: string) => readFileSync(join(SCRIPTS, file), 'utf8');

  test('the command "completion install" detects the shell from SHELL, and prints the line to add to .bashrc', async () => {
    const home = temporary();
    const path = join(home, '.local/share/bash-completion/completions/cryptodata');
    const first = await install(home);
    expect(first.code).toBe(0);
    expect(first.record).toEqual({ shell: 'bash', path, written: true, loaded: false, undo: `rm ${path}` });
    expect(readFileSync(path, 'utf8')).toBe(script('cryptodata.bash'));
    const [, line = ''] = /(source [^"\\]*)/.exec(first.stderr) ?? [];
    expect(line).toBe(`source ${path}`);
    writeFileSync(join(home, '.bashrc'), `echo hello; ${line}\n`);
    expect((await install(home)).record).toMatchObject({ loaded: true });
  });

  test.skipIf(!needs('zsh'))(
    'the command "completion install" writes the zsh script to a folder in fpath',
    async () => {
      const home = temporary();
      const usual = join(home, '.local/share/zsh/site-functions');
      expect((await install(home, '--shell', 'zsh')).record).toMatchObject({
        path: join(usual, '_cryptodata'),
        loaded: false,
      });
      const own = join(home, '.zfunc');
      writeFileSync(join(home, '.zshrc'), 'fpath=(~/.zfunc $fpath); autoload -Uz compinit && compinit -u\n');
      expect((await install(home, '--shell', 'zsh')).record).toMatchObject({
        path: join(own, '_cryptodata'),
        loaded: true,
      });
      expect(readFileSync(join(own, '_cryptodata'), 'utf8')).toBe(script('_cryptodata'));
    },
  );

  test.skipIf(!needs('fish'))(
    'the command "completion install" writes the fish script to a folder that fish reads',
    async () => {
      const home = temporary();
      const { record } = await install(home, '--shell', 'fish');
      expect(record).toMatchObject({
        path: join(home, '.config/fish/completions/cryptodata.fish'),
        loaded: true,
      });
      const complete = ['-c', "complete -C 'cryptodata ledgers exp'"];
      const { stdout } = await launch('fish', complete, { env: { HOME: home } }).ended;
      expect(stdout).toMatch(/^explain\t.*\nexport\t/);
    },
  );

  test('the command "completion install" does not replace a file that another program wrote', async () => {
    const home = temporary();
    const folder = join(home, '.config/fish/completions');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'cryptodata.fish'), '# mine\n');
    const { code, stderr } = await install(home, '--shell', 'fish');
    expect(code).toBe(2);
    expect(stderr).toContain('was not written by cryptodata');
    expect(readFileSync(join(folder, 'cryptodata.fish'), 'utf8')).toBe('# mine\n');
  });

  test('completion install --dry-run writes nothing', async () => {
    const home = temporary();
    const { record } = await install(home, '--dry-run');
    expect(record).toMatchObject({ written: false, loaded: null });
    expect(filesIn(join(home, '.local'))).toEqual([]);
  });

  test.each([
    ['/bin/tcsh', '--shell bash|zsh|fish'],
    ['/usr/bin/pwsh', 'Add-Content $PROFILE'],
    [undefined, '--shell bash|zsh|fish'],
  ])(
    'if SHELL is %s, the command "completion install" exits with 2 and prints a hint',
    async (shell, hint) => {
      const { code, stderr } = await run(['completion', 'install'], { env: { SHELL: shell } });
      expect({ code, hinted: stderr.includes(hint) }).toEqual({ code: 2, hinted: true });
    },
  );

  test('the command "completion install" does not wait for a shell startup file that hangs', async () => {
    const home = temporary();
    writeFileSync(join(home, '.bashrc'), 'sleep 1000\n');
    const { record, stderr } = await install(home);
    expect(record).toMatchObject({ written: true, loaded: null });
    expect(stderr).toContain('may not load the file yet');
  });
});
