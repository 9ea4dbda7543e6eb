import { BEANCOUNT_ROOTS, type Dialect, type Facts } from './dialect.ts';
import type { FittedName } from './names.ts';

const LONGEST_COMMODITY = 24;
const HASH = '-12345678'.length;
const LONGEST_SEGMENT = 100;
/** Symbols that beancount would read as values. */
const RESERVED = ['TRUE', 'FALSE', 'NULL'];

/**
 * The top level of an account name must be one of five names. All lower levels must begin with a capital letter or a digit, and
 * may contain only letters, digits and hyphens.
 */
function fitSegment(text: string, level: number): FittedName {
  if (level === 0) {
    const root = BEANCOUNT_ROOTS.find((name) => name.toLowerCase() === text.toLowerCase());
    if (root) return { text: root, isFaithful: true };
  }
  const spaced = text.trim().replace(/[ ._/-]+/g, '-');
  const fitted = spaced.replace(/[^\p{L}\p{N}-]/gu, '-').slice(0, LONGEST_SEGMENT);
  const raised = fitted.charAt(0).toUpperCase() + fitted.slice(1);
  const named = /^[A-Z0-9]/.test(raised) ? raised : `X${raised}`;
  return { text: named, isFaithful: spaced === fitted };
}

/** A commodity must begin with a capital letter, end with a capital letter or a digit, and have 2 to 24 characters. */
function fitCommodity(symbol: string): FittedName {
  const raised = symbol.toUpperCase();
  const known = raised.replace(/[^A-Z0-9'._-]/g, '-');
  const started = /^[A-Z]/.test(known) ? known : `X${known}`;
  const ended = started.replace(/[^A-Z0-9]+$/, '');
  const cut = ended.slice(0, LONGEST_COMMODITY);
  const isShort = cut.length < 2 || RESERVED.includes(cut);
  const text = isShort ? `X-${cut}` : cut;
  // If characters of the symbol were replaced or cut off, `text` could be the symbol of another asset.
  return {
    text,
    isFaithful: raised === known && started === ended && ended === cut && /[A-Z0-9]$/.test(cut),
  };
}

function joinCommodity(name: string, hash: string): string {
  return `${name.slice(0, LONGEST_COMMODITY - HASH)}-${hash}`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function metadata(facts: Facts, indent: number): string {
  return facts.map(([name, text]) => `${' '.repeat(indent)}${name}: ${quoted(text)}\n`).join('');
}

/**
 * The usual date of a declaration. beancount rejects an entry that is dated before the declaration of one of its accounts. The
 * entries may be in any order, so the first entry that uses an account is not always the earliest one. The usual date is
 * therefore earlier than the dates of most entries.
 */
const EPOCH = '1970-01-01';

export const beancount: Dialect = {
  head: '; A journal for beancount. Quantities and values are posted separately.\n',
  declares: 'first',
  fitSegment,
  fitCommodity,
  joinCommodity,
  declareAccount: (name, date) => `${date < EPOCH ? date : EPOCH} open ${name}\n`,
  declareCommodity: (name, about) => `${EPOCH} commodity ${name}\n${metadata(about, 2)}`,
  entry: ({ date, isPending, id, description, facts, lines }) =>
    [
      `${date} ${isPending ? '!' : '*'} ${quoted(description)}\n`,
      metadata([['transaction', id], ...facts], 2),
      ...lines.map(
        ({ account, amount, commodity, facts: own }) =>
          `  ${account}  ${amount} ${commodity}\n${metadata(own, 4)}`,
      ),
    ].join(''),
  comment: (text) => `; ${text}\n`,
  // beancount computes with Python's default decimal precision. The file keeps every digit.
  digits: 28,
};
