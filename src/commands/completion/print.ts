import { type AnyVerb, verb } from '../../cli/define.ts';
import { readScript, SHELLS, type ShellName } from './shells.ts';

const STARTUP_FILES: Readonly<Record<ShellName, string>> = {
  bash: '~/.bashrc',
  zsh: '~/.zshrc, after compinit',
  fish: '~/.config/fish/config.fish',
  powershell: '$PROFILE',
};

/** Defines the command that prints the script of one shell, such as `completion bash`. */
export function printVerb(name: ShellName): AnyVerb {
  const shell = SHELLS[name];
  const alternative =
    name === 'powershell'
      ? 'The PowerShell script is not tested.'
      : 'Alternatively, run "cryptodata completion install". It changes no start-up file, and new shells start faster.';
  return verb({
    name,
    summary: `Print the completions for ${shell.title}`,
    about: `To load the completions in every new shell, add the command above to ${STARTUP_FILES[name]}. ${alternative}`,
    flags: {},
    examples: {
      'Load the completions in this shell': shell.line,
    },
    prints: 'Only the script; with -o json: { shell, script }.',
    exits: [0, 2],
    async run(context) {
      const script = (await readScript(context, shell)).trimEnd();
      return { kind: 'text', text: script, record: { shell: name, script } };
    },
  });
}
