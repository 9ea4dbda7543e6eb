import { columnsOfText } from './width.ts';

/** Wraps text between words. Does not break words that are longer than a line. Keeps existing line breaks and indentation. */
export function wrap(text: string, width: number, indent = '', hanging = indent): string {
  return text
    .split('\n')
    .map((line, at) => wrapLine(line, width, at === 0 ? indent : hanging, hanging))
    .join('\n');
}

function wrapLine(line: string, width: number, indent: string, hanging: string): string {
  const [, own = '', words = ''] = /^(\s*)(.*)$/s.exec(line) ?? [];
  const lines: string[] = [];
  let current = indent + own;
  let empty = true;
  for (const word of words.split(' ')) {
    if (!empty && columnsOfText(current) + 1 + columnsOfText(word) > width) {
      lines.push(current);
      current = hanging + own;
      empty = true;
    }
    current += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, current].map((text) => text.trimEnd()).join('\n');
}
