import { readFile } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { sameColumns } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { choiceFlag, toggle } from '../../cli/flags.ts';
import type { Context } from '../../context.ts';
import { type CryptodataError, isMissing, messageOf, usageError } from '../../core/errors.ts';
import { writePrivateFile } from '../../core/file.ts';
import { homeOf } from '../../core/home.ts';
import { shellWord } from '../../core/text.ts';
import { askShell } from './ask-shell.ts';
import { MARKER, readScript, SHELLS } from './shells.ts';

const INSTALLED = ['bash', 'zsh', 'fish'] as const;
type Installed = (typeof INSTALLED)[number];

export const install = verb({
  name: 'install',
  summary: 'Install completions where your shell looks for them',
  about:
    'Writes one file, and changes no start-up file. Then the command starts a new shell to check whether the shell loads the completions. If the completions are not loaded, the command prints a line to add to the start-up file.',
  flags: {
    shell: choiceFlag('--shell <name>', 'bash, zsh or fish (default: the shell in $SHELL)', INSTALLED),
    dryRun: toggle('--dry-run', 'print the path of the file, but do not write the file'),
  },
  examples: {
    'Install completions for your shell': 'cryptodata completion install',
    'Install completions for another shell': 'cryptodata completion install --shell fish',
  },
  prints:
    'A record { shell, path, written, loaded, undo }. "loaded" is null if the check could not run. "undo" is the command that removes the file.\nIf the shell does not load the file, stderr contains the lines to add to the start-up file.',
  exits: [0, 2],
  async run(context, { shell = shellIn(context.env), dryRun }) {
    const place = await PLACES[shell](context);
    const script = await readScript(context, SHELLS[shell]);
    const old = await readOld(place.path);
    if (old !== undefined && !old.includes(MARKER)) throw foreignFile(place.path, shell);
    if (!dryRun) await writePrivateFile(place.path, script);
    const loaded = dryRun ? null : ((await askShell(context, shell, place.test))?.includes('yes') ?? null);
    const record = {
      shell,
      path: place.path,
      written: !dryRun,
      loaded,
      undo: `rm ${shellWord(place.path)}`,
    };
    const note = dryRun
      ? 'Nothing was written (--dry-run).'
      : loaded === true
        ? `${shell} completes cryptodata commands in new sessions.`
        : [`${shell} ${loaded === null ? 'may' : 'does'} not load the file yet.`, place.advice].join(' ');
    return {
      kind: 'record',
      record,
      columns: sameColumns(...Object.keys(record)),
      notes: () => [{ text: note, warning: loaded === false }],
    };
  },
});

/** The completion file of a shell. */
interface Place {
  readonly path: string;
  /** A shell command that prints `yes` if the completions are loaded. */
  readonly test: string;
  /** Hint for the user if the completions are not loaded. */
  readonly advice: string;
}

const PLACES: Readonly<Record<Installed, (context: Context) => Promise<Place>>> = {
  // The package bash-completion searches this folder when the user first presses Tab after the name of a command.
  async bash({ env }) {
    const folder = env['BASH_COMPLETION_USER_DIR'] || join(dataHome(env), 'bash-completion');
    const path = join(folder, 'completions', 'cryptodata');
    return {
      path,
      test: `loader=$(complete -p -D 2>/dev/null); loader=\${loader#*-F }; "\${loader%% *}" cryptodata >/dev/null 2>&1; complete -p cryptodata >/dev/null 2>&1 && echo yes || echo no`,
      advice: `Install the package bash-completion, or add this line to ~/.bashrc:\n  source ${shellWord(path)}`,
    };
  },

  async zsh(context) {
    const { env } = context;
    const home = homeOf(env);
    const [usual = '', ...others] = [
      join(dataHome(env), 'zsh', 'site-functions'),
      ...['.zfunc', '.zsh/completions', '.zsh/completion', '.oh-my-zsh/custom/completions'].map((folder) =>
        join(home, folder),
      ),
    ];
    const searched = (await askShell(context, 'zsh', 'print -rl -- $fpath'))?.split('\n') ?? [];
    const folder = [usual, ...others].find((folder) => searched.includes(folder)) ?? usual;
    const lines = [
      ...(searched.includes(folder) ? [] : [`fpath=(${shellWord(folder)} $fpath)`]),
      'autoload -Uz compinit && compinit',
    ];
    return {
      path: join(folder, SHELLS.zsh.script),
      test: '(( $+_comps[cryptodata] )) && print yes || print no',
      advice: `Add to ~/.zshrc, above any other line with compinit:\n${lines.map((line) => `  ${line}`).join('\n')}\nIf ~/.zshrc already has these lines: rm -f ~/.zcompdump*`,
    };
  },

  async fish({ env }) {
    const configured = env['XDG_CONFIG_HOME'] ?? '';
    const config = isAbsolute(configured) ? configured : join(homeOf(env), '.config');
    const folder = join(config, 'fish', 'completions');
    return {
      path: join(folder, SHELLS.fish.script),
      test: `contains -- ${shellWord(folder)} $fish_complete_path; and echo yes; or echo no`,
      advice: `Add this line to config.fish:\n  set -a fish_complete_path ${shellWord(folder)}`,
    };
  },
};

function dataHome(env: NodeJS.ProcessEnv): string {
  const configured = env['XDG_DATA_HOME'] ?? '';
  return isAbsolute(configured) ? configured : join(homeOf(env), '.local', 'share');
}

function shellIn(env: NodeJS.ProcessEnv): Installed {
  const name = basename(env['SHELL'] ?? '');
  const found = INSTALLED.find((shell) => shell === name);
  if (found) return found;
  if (/^(?:pwsh|powershell)/.test(name) || (name === '' && process.platform === 'win32')) {
    throw usageError(
      'PowerShell has no folder for completions',
      `Add a line to your profile: Add-Content $PROFILE '${SHELLS.powershell.line}'`,
      'NO_COMPLETION_FOLDER',
    );
  }
  throw usageError(
    name === '' ? 'Cannot detect your shell: SHELL is not set' : `cryptodata has no completions for ${name}`,
    `Choose a shell: --shell ${INSTALLED.join('|')}`,
    'UNKNOWN_SHELL',
  );
}

async function readOld(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw usageError(`Cannot read ${path}: ${messageOf(error)}`, 'Move the file away, then install again.');
  }
}

function foreignFile(path: string, shell: Installed): CryptodataError {
  return usageError(
    `${path} exists and was not written by cryptodata`,
    `Move the file away, or load the completions in your start-up file: ${SHELLS[shell].line}`,
    'FILE_EXISTS',
  );
}
