import { createInterface, type Interface } from 'node:readline';
import type { Streams } from '../../context.ts';

export interface PastedLines {
  readonly lines: AsyncIterable<string>;
  close(): void;
}

/**
 * Lines that the user pastes, or a program pipes, read from when they are first wanted: before, prompts read the
 * same terminal.
 *
 * The terminal is read key by key (`terminal: true`): left to itself, it would hand over lines, and cut each that is
 * longer than 4,095 bytes, as an address with a long code is.
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
          // A code does not come back by the up-arrow key.
          historySize: 0,
        })
      : createInterface({ input: stdin });
    // On a terminal Ctrl-C is read as a key.
    if (terminal) reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    yield* reader;
  }
  return { lines: typed(), close: () => reader?.close() };
}
