import { wrap } from '../core/wrap.ts';
import { type OutputStream, terminalWidth } from '../formats/style.ts';

/** Maximum width of lines in the help, because longer lines are hard to read. */
export const WIDEST = 100;

/** Returns the width for text that a command prints to stdout. */
export function widthOf({
  streams: { stdout },
}: {
  readonly streams: { readonly stdout: OutputStream };
}): number {
  return Math.min(terminalWidth(stdout) ?? WIDEST, WIDEST);
}

/**
 * Breaks a shell command between words, preferably before a flag or a pipe. Every line except the last ends with a backslash,
 * so users can copy the command.
 */
export function wrapCommand(command: string, width: number, indent: string): string {
  if (indent.length + command.length <= width) return indent + command;
  const lines: string[] = [];
  let current = indent;
  let empty = true;
  const add = (text: string) => {
    current += empty ? text : ` ${text}`;
    empty = false;
  };
  const fits = (text: string) => empty || current.length + 1 + text.length + 2 <= width;
  const breakLine = () => {
    lines.push(`${current} \\`);
    current = `${indent}  `;
    empty = true;
  };
  for (const part of partsOf(command)) {
    if (!fits(part.join(' '))) breakLine();
    for (const word of part) {
      if (!fits(word)) breakLine();
      add(word);
    }
  }
  return [...lines, current].join('\n');
}

/** Splits a command into groups of words: a flag with its value, or an operator with the words after it. */
function partsOf(command: string): string[][] {
  const words = command.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"])+/g) ?? [];
  const parts: string[][] = [];
  for (const word of words) {
    const last = parts.at(-1);
    if (last && !/^(?:-|[|&;<>]+$)/.test(word)) last.push(word);
    else parts.push([word]);
  }
  return parts;
}

/** Formats a term and its description in two columns. A long term gets a line of its own. */
export function wrapItem(term: string, text: string, { width, column }: ItemLayout): string {
  const indent = ' '.repeat(column + 4);
  const start = `  ${term}`;
  if (start.length + 2 > indent.length)
    return `${wrap(term, width, '  ', '    ')}\n${wrap(text, width, indent)}`;
  return wrap(text, width, start.padEnd(indent.length), indent);
}

export interface ItemLayout {
  readonly width: number;
  /** Width of the column with the terms. */
  readonly column: number;
}

/** Returns a layout that leaves most of the width for the descriptions. */
export function itemLayout(terms: readonly string[], width: number): ItemLayout {
  const longest = Math.max(0, ...terms.map((term) => term.length));
  return { width, column: Math.min(longest, Math.max(12, Math.floor(width * 0.4))) };
}
