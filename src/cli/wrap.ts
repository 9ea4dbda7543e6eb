import { wrap } from '../core/wrap.ts';
import type { OutputStream } from '../formats/style.ts';

/** The widest line of help: longer lines are hard to read. */
export const WIDEST = 100;

/** Width of a command's text on stdout. */
export function widthOf({
  streams: { stdout },
}: {
  readonly streams: { readonly stdout: OutputStream };
}): number {
  return Math.min(stdout.isTTY ? (stdout.columns ?? 80) : WIDEST, WIDEST);
}

/**
 * Breaks a shell command between words, if possible before a flag or a pipe. A backslash ends each broken line, so the
 * command still runs when it is copied.
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

/** Splits a command into words. A flag stays with its value, and an operator with the words after it. */
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

/** A term and its description, in two columns; a long term has its own line. */
export function wrapItem(term: string, text: string, { width, column }: ItemLayout): string {
  const indent = ' '.repeat(column + 4);
  const start = `  ${term}`;
  if (start.length + 2 > indent.length)
    return `${wrap(term, width, '  ', '    ')}\n${wrap(text, width, indent)}`;
  return wrap(text, width, start.padEnd(indent.length), indent);
}

export interface ItemLayout {
  readonly width: number;
  /** Width of the terms. */
  readonly column: number;
}

/** Leaves most of the width to the descriptions. */
export function layoutOf(terms: readonly string[], width: number): ItemLayout {
  const longest = Math.max(0, ...terms.map((term) => term.length));
  return { width, column: Math.min(longest, Math.max(12, Math.floor(width * 0.4))) };
}
