interface CheckText {
  readonly title: string;
  /** The meaning of its findings, in words that a client understands. */
  readonly means: string;
  readonly fix: string;
}

const TEXTS: Readonly<Record<string, CheckText>> = {
  'failing-source': {
    title: 'Accounts that did not sync completely',
    means: 'Transactions of these accounts may be missing.',
    fix: 'Reconnect the account, or sync it again.',
  },
  'stale-source': {
    title: 'Accounts that are out of date',
    means:
      'These accounts have not synced since the end of the period, so their last transactions may be missing.',
    fix: 'Sync the account again.',
  },
  'negative-balance': {
    title: 'Balances below zero',
    means: 'The records show that more left a wallet than it held. Something that came in is missing.',
    fix: 'Add what came in: a purchase, a transfer or a whole account.',
  },
  'unknown-balance': {
    title: 'Legs without a balance',
    means: 'The service gives no balance after these legs, so they cannot be checked.',
    fix: 'Resolve the asset, or wait until the service has processed the legs.',
  },
  'opening-balance': {
    title: 'Histories that do not start at zero',
    means:
      'The first record of a wallet and asset spends it, or starts with something. Earlier history is missing.',
    fix: 'Import the earlier history.',
  },
  'broken-chain': {
    title: 'Gaps between balances',
    means: 'A leg does not start from the balance that the leg before it left. A leg may be missing.',
    fix: 'Look for a deleted or missing leg.',
  },
  arithmetic: {
    title: 'Balances that do not add up',
    means: 'The balance before a leg and its quantity do not give the balance after it.',
    fix: 'Report it to the service.',
  },
  'unmatched-transfer': {
    title: 'Transfers with one side',
    means: 'An asset left one wallet but arrived in no other, or arrived without leaving one.',
    fix: 'Connect the other account, or categorise the leg.',
  },
  duplicate: {
    title: 'Duplicates',
    means: 'The same movement is recorded twice.',
    fix: 'Remove one of the two imports.',
  },
  'missing-price': {
    title: 'Missing prices',
    means: 'These legs have no price, so their value is unknown.',
    fix: 'Set a price.',
  },
  'missing-asset': {
    title: 'Unresolved assets',
    means: 'The service does not know which asset these legs move.',
    fix: 'Resolve the asset.',
  },
  'unfinished-accounting': {
    title: 'Unfinished tax processing',
    means: 'Some legs have no cost basis, proceeds or profit, although others of their kind do.',
    fix: 'Run tax processing.',
  },
  profit: {
    title: 'Profits that do not add up',
    means: 'Proceeds less cost basis is not the profit that the service gives.',
    fix: 'Report it to the service.',
  },
  'half-posted': {
    title: 'Incomplete postings',
    means:
      'A leg has a debit account without a credit account, or only some legs of a transaction have accounts.',
    fix: 'Complete the posting.',
  },
  uncategorized: {
    title: 'Uncategorised transactions',
    means: 'The service counts transactions without a category.',
    fix: 'Categorise them.',
  },
  'high-pnl': {
    title: 'Unusually high gains',
    means: 'The service counts transactions with a high gain, which often come from a missing purchase.',
    fix: 'Check that their purchases are recorded.',
  },
  'missing-purchases': {
    title: 'Missing purchases',
    means: 'The service counts transactions whose purchase is missing.',
    fix: 'Import the purchases.',
  },
  'missing-prices': {
    title: 'Transactions without prices',
    means: 'The service counts transactions with a missing price.',
    fix: 'Set the prices.',
  },
};

export function textOfCheck(check: string): CheckText {
  return TEXTS[check] ?? { title: check, means: '', fix: '' };
}
