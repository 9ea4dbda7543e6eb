import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isCi } from '../core/environment.ts';

export interface PagerOptions {
  readonly stdin: { readonly isTTY?: boolean | undefined };
  readonly stdout: { readonly isTTY?: boolean | undefined; readonly rows?: number | undefined };
  readonly env: NodeJS.ProcessEnv;
  /** Makes this process ignore Ctrl-C, so that the pager can handle it. */
  readonly leaveSignalsToChild: () => void;
}

/**
 * Shows text in the pager `PAGER` (default: less). Returns false if the text was not shown. Reasons: the text fits the screen,
 * there is no terminal, the tool runs in CI, the pager cannot be started, or `PAGER` is empty or set to `cat`.
 */
export async function page(
  text: string,
  { stdin, stdout, env, leaveSignalsToChild }: PagerOptions,
): Promise<boolean> {
  const pager = env['PAGER'] ?? 'less';
  if (!stdin.isTTY || !stdout.isTTY || isCi(env) || pager.trim() === '' || pager === 'cat') return false;
  const lines = text.split('\n').length;
  if (lines <= (stdout.rows ?? Number.POSITIVE_INFINITY)) return false;
  leaveSignalsToChild();
  // Use the same options for `less` as git: exit at once if the text fits the screen, show colours, and leave the text on the
  // screen.
  const less = env['LESS'] === undefined ? { LESS: 'FRX' } : {};
  const child = spawn(pager, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...process.env, ...less },
  });
  // The pager may exit before it has read the whole text.
  child.stdin.on('error', () => {});
  child.stdin.end(text);
  const [code] = await once(child, 'close');
  return !NOT_STARTED.has(Number(code));
}

/** Exit codes with which a shell reports that it cannot run a command. */
const NOT_STARTED = new Set([126, 127]);
