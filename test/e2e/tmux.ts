// A real terminal of a given size, whose screen shows what a user would see.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd, cleanEnv, type Env, temporary } from './harness.ts';

export interface Terminal {
  /** Types text unchanged. */
  type(text: string): void;
  /** Pastes text at once, with line breaks, as a terminal does. */
  paste(text: string): void;
  /** Presses a key by its tmux name: `Enter`, `C-c`. */
  press(key: string): void;
  /** The screen and its scrollback, without trailing blanks. */
  screen(): string;
  /** The screen and its scrollback, with escape sequences for colours. */
  colours(): string;
  /** Waits until the screen matches the pattern, and returns the match. */
  shows(pattern: RegExp): Promise<string>;
}

/** Runs a line of bash in its own terminal. The last line on the screen is `exit=CODE`. */
export function terminal(script: string, size: { columns: number; lines?: number }, env: Env = {}): Terminal {
  const directory = temporary();
  const socket = join(directory, 'tmux');
  const file = join(directory, 'run.sh');
  // Keep the session after the line ends, so that its screen can be read.
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
    press: (key) => void tmux('send-keys', '-t', 'e2e', key),
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
