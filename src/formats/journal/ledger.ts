import type { Dialect } from './dialect.ts';
import { fitCommodity, fitSegment, joinCommodity, journalEntry } from './hledger.ts';

const TAGS = ['leg', 'market-price', 'market-value', 'quantity', 'suspense'];

export const ledgerDialect: Dialect = {
  head: `; A journal for ledger. Quantities and values are posted separately.\n${TAGS.map((tag) => `tag ${tag}\n`).join('')}`,
  // Declarations do not state a number of decimals. The program `ledger` uses the largest number of decimals in the file.
  declares: 'first',
  fitSegment,
  fitCommodity,
  joinCommodity,
  declareAccount: (name) => `account ${name}\n`,
  declareCommodity: (name, about) =>
    `commodity ${name}\n    note ${about.map(([key, text]) => `${key} ${text}`).join(', ')}\n`,
  entry: journalEntry,
  comment: (text) => `; ${text}\n`,
};
