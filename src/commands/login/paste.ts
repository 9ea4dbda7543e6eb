import { createInterface, type Interface } from 'node:readline';
import type { Streams } from '../../context.ts';

export interface PastedLines {
  readonly lines: AsyncIterable<string>;
  close(): void;
}

/**
 * The lines on stdin, pasted by the user or piped by a program. Reading starts only when the first line is requested,
 * because earlier prompts read from the same terminal.
 *
 * A terminal is read key by key (`terminal: true`). In line mode, the terminal truncates lines after 4,095 bytes, but an
 * address with a long authorization code may be longer.
 */
export function pastedLines({ stdin, stderr }: Streams, terminal: boolean): PastedLines {
  let reader: Interface | undefined;
  async function* typed(): AsyncGenerator<string> {
    reader = terminal
      ? createInterface({
          input: stdin,
          output: stderr,
          terminal,
          prompt: '',
          // Without a history, the up-arrow key cannot show the authorization code again.
          historySize: 0,
        })
      : createInterface({ input: stdin });
    // With `terminal: true`, Ctrl-C does not send a signal by itself.
    if (terminal) reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    yield* reader;
  }
  return { lines: typed(), close: () => reader?.close() };
}
