interface CheckText {
  readonly title: string;
  /** Explains the findings in words that a client understands. */
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
      'These accounts have not synced since the end of the period, so their most recent transactions may be missing.',
    fix: 'Sync the account again.',
  },
  'negative-balance': {
    title: 'Balances below zero',
    means:
      'According to the records, a wallet spent more than its balance. An incoming transaction is missing.',
    fix: 'Add whatever is missing: a purchase, a transfer or an account.',
  },
  'unknown-balance': {
    title: 'Legs without a balance',
    means: 'The service reports no balance after these legs, so the balances cannot be checked.',
    fix: 'Resolve the asset, or wait until the service has processed the legs.',
  },
  'opening-balance': {
    title: 'Balances that do not start at zero',
    means:
      'The first leg of an asset in a wallet spends the asset, or the balance before this leg is not zero. Earlier history is missing.',
    fix: 'Import the earlier history.',
  },
  'broken-chain': {
    title: 'Gaps between balances',
    means: 'The balance before a leg differs from the balance after the previous leg. A leg may be missing.',
    fix: 'Look for a deleted or missing leg.',
  },
  arithmetic: {
    title: 'Balances that do not add up',
    means:
      'The difference between the balances before and after a leg does not equal the quantity of the leg.',
    fix: 'Report the difference to the service.',
  },
  'unmatched-transfer': {
    title: 'Transfers with only one side',
    means:
      'An asset left a wallet without arriving in another wallet, or arrived in a wallet without leaving another wallet.',
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
    means: 'Some legs lack a cost basis, proceeds or profit that other legs of the same type have.',
    fix: 'Run tax processing.',
  },
  profit: {
    title: 'Profits that do not add up',
    means: 'The profit that the service reports differs from the proceeds minus the cost basis.',
    fix: 'Report the difference to the service.',
  },
  'half-posted': {
    title: 'Incomplete postings',
    means:
      'A leg has only one of its two accounts (debit, credit), or a transaction has legs with and without accounts.',
    fix: 'Complete the posting.',
  },
  uncategorized: {
    title: 'Uncategorised transactions',
    means: 'The service reports transactions without a category.',
    fix: 'Categorise them.',
  },
  'high-pnl': {
    title: 'Unusually high gains',
    means: 'The service reports transactions with a high gain. The cause is often a missing purchase.',
    fix: 'Check that the purchase of each sold asset is recorded.',
  },
  'missing-purchases': {
    title: 'Missing purchases',
    means: 'The service reports transactions with a missing purchase.',
    fix: 'Import the purchases.',
  },
  'missing-prices': {
    title: 'Transactions without prices',
    means: 'The service reports transactions with a missing price.',
    fix: 'Set the prices.',
  },
};

export function textOfCheck(check: string): CheckText {
  return TEXTS[check] ?? { title: check, means: '', fix: '' };
}
