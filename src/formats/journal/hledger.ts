import type { Dialect, Facts, WrittenEntry } from './dialect.ts';
import type { FittedName } from './names.ts';

// Each level of an account name begins with a letter or a digit. Two spaces would end the name, so they become one space.
const NOT_IN_ACCOUNT = /[^\p{L}\p{M}\p{N} ._+#&'/-]/gu;
const NOT_IN_COMMODITY = /[^A-Za-z0-9._+/$€£ -]/g;
/** Maximum length of a commodity, and of each level of an account name. */
const LONGEST = 100;

export function fitSegment(text: string): FittedName {
  const fitted = tidy(text.replace(NOT_IN_ACCOUNT, '_'));
  const named = /^[\p{L}\p{N}]/u.test(fitted) ? fitted : `x${fitted}`;
  return { text: named, isFaithful: named === text };
}

export function fitCommodity(symbol: string): FittedName {
  const fitted = tidy(symbol.replace(NOT_IN_COMMODITY, '_')) || 'x';
  return { text: `"${fitted}"`, isFaithful: fitted === symbol };
}

export function joinCommodity(name: string, hash: string): string {
  return `${name.slice(0, -1)}-${hash}"`;
}

function tidy(text: string): string {
  return text.replace(/ {2,}/g, ' ').trim().slice(0, LONGEST).trim();
}

/**
 * Formats an entry in the syntax that hledger and ledger share. Facts are comments of the form `name: text`, which hledger and
 * ledger read as tags.
 */
export function journalEntry({ date, isPending, id, description, facts, lines }: WrittenEntry): string {
  // In the description, a semicolon would begin a comment, and a bar would end the payee. The id is the code of the entry. A
  // parenthesis in the id would end the code.
  const words = description.replaceAll(';', ',').replaceAll('|', '/').replace(/\s+/g, ' ').trim();
  const head = `${date} ${isPending ? '!' : '*'} (${id.replace(/[()]/g, '_')}) ${words}\n`;
  const width = Math.min(60, Math.max(...lines.map(({ account }) => account.length)));
  const body = lines.map(
    ({ account, amount, commodity, facts: own }) =>
      `    ${account.padEnd(width)}  ${amount} ${commodity}\n${tags(own, 6)}`,
  );
  return `${head}${tags(facts, 4)}${body.join('')}`;
}

function tags(facts: Facts, indent: number): string {
  return facts.map(([name, text]) => `${' '.repeat(indent)}; ${name}: ${inert(text)}\n`).join('');
}

/**
 * In a comment, hledger and ledger read `[2020-01-01]` as a date of the posting. In hledger, a comma ends the value of a tag.
 */
function inert(text: string): string {
  return text.replaceAll(',', ' ').replaceAll('[', '(').replaceAll(']', ')');
}

export const hledger: Dialect = {
  head: '; A journal for hledger. Quantities and values are posted separately.\ndecimal-mark .\n',
  // A declaration contains the number of decimals of the commodity, so that no hledger version rounds an amount.
  declares: 'last',
  fitSegment,
  fitCommodity,
  joinCommodity,
  declareAccount: (name) => `account ${name}\n`,
  declareCommodity: (name, about, decimals) =>
    `commodity 1.${'0'.repeat(decimals)} ${name}\n${about.map(([key, text]) => `  ; ${key}: ${text}\n`).join('')}`,
  entry: journalEntry,
  comment: (text) => `; ${text}\n`,
};
