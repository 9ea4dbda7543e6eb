/**
 * Wraps text between words. Keeps each word and each command of this tool on one line, because only a command on one line can
 * be copied. Keeps existing line breaks and indentation.
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
  for (const word of unitsOf(words)) {
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

/**
 * Returns the words of a text. A command after a colon or a bracket is one unit, up to the end of the sentence or of the text.
 * Users do not copy a usage line, so only its part before the first argument is one unit.
 */
function unitsOf(text: string): string[] {
  const units: string[] = [];
  let isInCommand = false;
  for (const word of text.split(' ')) {
    const last = units.at(-1);
    isInCommand &&= !/^[[<]/.test(word);
    if (isInCommand) units[units.length - 1] += ` ${word}`;
    else units.push(word);
    isInCommand ||=
      word === '(cryptodata' || (word === 'cryptodata' && (last === undefined || last.endsWith(':')));
    isInCommand &&= !/[.,;)]$/.test(word);
  }
  return units;
}
