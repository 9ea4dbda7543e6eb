import { createInterface, type Interface } from 'node:readline';
import type { Streams } from '../../context.ts';

export interface PastedLines {
  readonly lines: AsyncIterable<string>;
  close(): void;
}

/**
 * Lines that the user pastes or a program pipes. Reading starts on first use, because earlier prompts read the same
 * terminal.
 *
 * A terminal is read key by key (`terminal: true`), because line mode truncates lines after 4,095 bytes, and an address
 * with a long authorization code may have more bytes.
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
          // The up-arrow key must not show the code.
          historySize: 0,
        })
      : createInterface({ input: stdin });
    // With `terminal: true`, Ctrl-C is an ordinary key and sends no signal.
    if (terminal) reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    yield* reader;
  }
  return { lines: typed(), close: () => reader?.close() };
}
