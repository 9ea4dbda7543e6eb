import fc from 'fast-check';

/** Characters that can break tables, spreadsheets or terminals. */
const NASTY = [
  ...'=+-@\'"\\,;\t\r\n 0159.eEuAabf',
  '\u0000',
  '\u0007',
  '\u001b',
  '\u007f',
  '\u009b',
  '\u00ad',
  '\u200b',
  '\u200d',
  '\ufe0f',
  '\u3164',
  '\u{e0041}',
  '\u202e',
  '\u2066',
  '\ufeff',
  '\ud800',
  '€',
  '免',
  '👩‍👧',
];

/** Random text that often contains formulas, quotes, line breaks, control characters and literal escape sequences. */
export const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...NASTY) }),
  fc.string({ unit: fc.constantFrom('\\', 'u', '0', '1', 'b', '5', 'c', "'", '=', '\u001b') }),
  fc.constantFrom(
    '=1+1',
    "'=1",
    "''-1",
    '\\u001b',
    '\\u005cu001b',
    '-1',
    '-1.5',
    '-1e5',
    '+1',
    '@A1',
    '＝1+1',
    "'＠A1",
    '-',
    "'",
  ),
);

const digits = (most: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: most });

/** Positive and negative decimal strings with up to 18 decimal places, as in responses of the service. */
export const decimalText = fc
  .tuple(fc.boolean(), digits(30), fc.option(digits(18)))
  .map(([negative, whole, places]) => `${negative ? '-' : ''}${whole}${places === null ? '' : `.${places}`}`);

/** JSON numbers, including numbers that a double cannot represent. */
export const numberText = fc
  .tuple(fc.boolean(), digits(40), fc.option(digits(40)), fc.option(fc.integer({ min: -400, max: 400 })))
  .map(([negative, whole, places, power]) => {
    const plain = whole.replace(/^0+(?=\d)/, '');
    const exponent = power === null ? '' : `e${power}`;
    return `${negative ? '-' : ''}${plain}${places === null ? '' : `.${places}`}${exponent}`;
  });
