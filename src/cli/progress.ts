import type { Ora } from 'ora';

/** A line of progress on stderr while long work runs. */
export interface Progress {
  update(text: string): void;
  /** Takes the line off the terminal until the next update, so that something else can be written. */
  clear(): void;
  stop(): void;
}

const SILENT: Progress = { update: () => {}, clear: () => {}, stop: () => {} };

/** Where `shown` is false (no terminal, --quiet) it does nothing, and loads nothing. */
export function createProgress(stream: NodeJS.WriteStream, shown: boolean): Progress {
  if (!shown) return SILENT;
  let spinner: Ora | undefined;
  let latest = '';
  let stopped = false;
  return {
    update(text) {
      latest = text;
      stopped = false;
      if (spinner) {
        spinner.text = text;
        if (!spinner.isSpinning) spinner.start();
        return;
      }
      void import('ora').then(({ default: ora }) => {
        // Ctrl-C stays ours to handle, and stdin the prompts' to read.
        spinner ??= ora({ stream, discardStdin: false, hideCursor: false });
        if (!stopped) spinner.start(latest);
      });
    },
    clear() {
      spinner?.clear();
    },
    stop() {
      stopped = true;
      spinner?.stop();
    },
  };
}
