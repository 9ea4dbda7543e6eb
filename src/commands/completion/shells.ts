import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Context } from '../../context.ts';

/** A shell with completions. */
export interface Shell {
  readonly title: string;
  /** Name of the script in completions/. */
  readonly script: string;
  /** A line that loads the completions, for the start-up file of the shell. */
  readonly line: string;
}

export const SHELLS = {
  bash: { title: 'bash', script: 'cryptodata.bash', line: 'source <(cryptodata completion bash)' },
  zsh: { title: 'zsh', script: '_cryptodata', line: 'source <(cryptodata completion zsh)' },
  fish: { title: 'fish', script: 'cryptodata.fish', line: 'cryptodata completion fish | source' },
  powershell: {
    title: 'PowerShell',
    script: 'cryptodata.ps1',
    line: 'cryptodata completion powershell | Out-String | Invoke-Expression',
  },
} as const satisfies Readonly<Record<string, Shell>>;

export type ShellName = keyof typeof SHELLS;

/** Text in the first or second line of each script. A file with this text may be replaced. */
export const MARKER = 'cryptodata completions for';

export function readScript({ entry }: Context, { script }: Shell): Promise<string> {
  return readFile(join(dirname(entry), '..', 'completions', script), 'utf8');
}
