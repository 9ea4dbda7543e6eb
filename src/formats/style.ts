import { styleText } from 'node:util';

/** What an output stream can display. The style affects only decoration, never values or the format. */
export interface Style {
  readonly terminal: boolean;
  readonly colour: boolean;
  /** Characters per line; undefined for files and pipes. */
  readonly width: number | undefined;
}

export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Characters per line; undefined for files and pipes. A terminal that reports 0 columns, such as some in CI, gets 80. */
export function terminalWidth({ isTTY, columns }: OutputStream): number | undefined {
  return isTTY ? columns || 80 : undefined;
}

/**
 * Applies `NO_COLOR` (no-color.org) and `FORCE_COLOR` (Node). If neither is set, a terminal that supports colour gets colour.
 */
export function styleOf(stream: OutputStream, env: NodeJS.ProcessEnv): Style {
  const terminal = stream.isTTY === true;
  const forced = env['FORCE_COLOR'];
  const colour = env['NO_COLOR']
    ? false
    : forced !== undefined
      ? forced !== '0' && forced !== 'false'
      : terminal && env['TERM'] !== 'dumb';
  return { terminal, colour, width: terminalWidth(stream) };
}

export type TextStyle = Parameters<typeof styleText>[0];

export function paint(style: Style, look: TextStyle, text: string): string {
  return style.colour && text !== '' ? styleText(look, text, { validateStream: false }) : text;
}
