import { createClient } from 'cryptodata';

/** Returns the legs with a negative `afterBalance`. Usually, an earlier transaction is missing from the books. */
export async function negativeLegs({ baseUrl, accessToken }) {
  const client = createClient({ baseUrl, accessToken });
  try {
    const legs = [];
    for await (const { id, walletId, asset, afterBalance } of client.ledgers.list({
      ltAfterBalance: '0',
      sortOrder: 'asc',
    })) {
      // Keep `afterBalance` as a decimal string: a number would lose digits.
      legs.push({ id, walletId, symbol: asset?.symbol, balance: afterBalance });
    }
    return legs;
  } finally {
    await client.close();
  }
}
