import type { Ora } from 'ora';
import type { Progress } from '../context.ts';
import { terminalWidth } from '../formats/style.ts';

export const NO_PROGRESS: Progress = { update: () => {}, clear: () => {}, stop: () => {} };

/** @param shown false if there is no terminal, or if --quiet is set. If false, the spinner library is not loaded. */
export function createProgress(stream: NodeJS.WriteStream, shown: boolean): Progress {
  if (!shown) return NO_PROGRESS;
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
        if (!spinner) {
          // ora divides by the number of columns. If this number were 0, ora would never stop clearing lines.
          const setWidth = () => {
            stream.columns = terminalWidth(stream) ?? 80;
          };
          setWidth();
          stream.on('resize', setWidth);
          // Do not let ora read stdin: prompts need the input, and `main` handles Ctrl-C.
          spinner = ora({ stream, discardStdin: false, hideCursor: false });
        }
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
