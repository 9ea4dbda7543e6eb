import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Context } from '../../context.ts';

export interface Shell {
  readonly title: string;
  /** File name in completions/. */
  readonly script: string;
  /** Shell command that loads the completions. */
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

/** Each completion script contains this text. `completion install` may replace only files that contain this text. */
export const MARKER = 'cryptodata completions for';

export function readScript({ entry }: Context, { script }: Shell): Promise<string> {
  return readFile(join(dirname(entry), '..', 'completions', script), 'utf8');
}
