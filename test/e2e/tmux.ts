// Runs commands in a real terminal (tmux), so that tests see the same screen as a user.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd, cleanEnv, type Env, temporary } from './harness.ts';

export interface Terminal {
  /** Types text unchanged. */
  type(text: string): void;
  /** Pastes text, which may contain line breaks. */
  paste(text: string): void;
  /** Presses keys, given by their tmux names, such as `Enter` or `C-c`. */
  press(...keys: string[]): void;
  /** Returns the text of the screen and its scrollback, without trailing whitespace. */
  screen(): string;
  /** Returns the screen and its scrollback, including the escape sequences for colours. */
  colours(): string;
  /** Waits until the screen matches `pattern`, and returns the matching text. */
  shows(pattern: RegExp): Promise<string>;
}

/** Runs a bash command in a new terminal. When the command ends, the terminal shows `exit=CODE`. */
export function terminal(script: string, size: { columns: number; lines?: number }, env: Env = {}): Terminal {
  const directory = temporary();
  const socket = join(directory, 'tmux');
  const file = join(directory, 'run.sh');
  // Keep the session open after the command ends, so that tests can read the screen.
  writeFileSync(file, `${script}\necho "exit=$?"\nexec sleep infinity\n`);
  const tmux = (...args: string[]) => {
    const done = spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      env: cleanEnv({ TERM: 'xterm-256color', PAGER: 'cat', ...env }),
      encoding: 'utf8',
    });
    if (done.status !== 0) throw new Error(`tmux ${args[0]}: ${done.stderr}`);
    return done.stdout;
  };
  const { columns, lines = 50 } = size;
  tmux('new-session', '-d', '-s', 'e2e', '-x', String(columns), '-y', String(lines), 'bash', file);
  atEnd(() => spawnSync('tmux', ['-S', socket, 'kill-server']));
  const capture = (...more: string[]) => tmux('capture-pane', '-p', '-S', '-', '-t', 'e2e', ...more);
  const screen = () => capture().trimEnd();
  return {
    type: (text) => void tmux('send-keys', '-t', 'e2e', '-l', '--', text),
    paste: (text) => {
      const pasted = join(directory, 'pasted');
      writeFileSync(pasted, text);
      tmux('load-buffer', pasted);
      tmux('paste-buffer', '-t', 'e2e');
    },
    press: (...keys) => void tmux('send-keys', '-t', 'e2e', ...keys),
    screen,
    colours: () => capture('-e'),
    async shows(pattern) {
      for (;;) {
        const [found] = pattern.exec(screen()) ?? [];
        if (found !== undefined) return found;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}
