/**
 * Wraps text between words. Does not break words that are longer than a line. Keeps existing line breaks and indentation.
 *
 * @param widthOf number of terminal columns of a text; by default, each UTF-16 unit is one column
 */
export function wrap(
  text: string,
  width: number,
  indent = '',
  hanging = indent,
  widthOf = (shown: string) => shown.length,
): string {
  return text
    .split('\n')
    .map((line, at) => wrapLine(line, width, at === 0 ? indent : hanging, hanging, widthOf))
    .join('\n');
}

function wrapLine(
  line: string,
  width: number,
  indent: string,
  hanging: string,
  widthOf: (shown: string) => number,
): string {
  const [, own = '', words = ''] = /^(\s*)(.*)$/s.exec(line) ?? [];
  const lines: string[] = [];
  let current = indent + own;
  let empty = true;
  for (const word of words.split(' ')) {
    if (!empty && widthOf(current) + 1 + widthOf(word) > width) {
      lines.push(current);
      current = hanging + own;
      empty = true;
    }
    current += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, current].map((text) => text.trimEnd()).join('\n');
}
