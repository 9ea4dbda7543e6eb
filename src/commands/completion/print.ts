import { type AnyVerb, verb } from '../../cli/define.ts';
import { readScript, SHELLS, type ShellName } from './shells.ts';

/** The start-up file of each shell. */
const STARTUP_FILES: Readonly<Record<ShellName, string>> = {
  bash: '~/.bashrc',
  zsh: '~/.zshrc, after compinit',
  fish: '~/.config/fish/config.fish',
  powershell: '$PROFILE',
};

/** `completion bash`: prints the script of one shell. */
export function printVerb(name: ShellName): AnyVerb {
  const shell = SHELLS[name];
  const alternative =
    name === 'powershell'
      ? 'The script for PowerShell is generated in the same way as the other scripts, but is not tested.'
      : 'Or run `cryptodata completion install`, which changes no start-up file and lets shells start faster.';
  return verb({
    name,
    summary: `Print the completions for ${shell.title}`,
    about: `To load the completions in every new shell, add the command above to ${STARTUP_FILES[name]}. ${alternative}`,
    flags: {},
    examples: [{ says: 'Load the completions in this shell', line: shell.line }],
    prints: 'The script alone, or { shell, script } with -o json.',
    exits: [0, 2],
    async run(context) {
      const script = (await readScript(context, shell)).trimEnd();
      return { kind: 'text', text: script, record: { shell: name, script } };
    },
  });
}
