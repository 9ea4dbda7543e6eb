// Exports the ledgers of a quarter, verifies the file, and lists negative balances. Compile this file first, or use Node.js 24:
//   cryptodata sandbox exec -- node examples/quarter.ts 2025-Q3
import { CryptodataError, createClient, UnverifiedError } from 'cryptodata';

const { CRYPTODATA_BASE_URL: baseUrl, CRYPTODATA_ACCESS_TOKEN: accessToken } = process.env;
const [period = 'last-quarter'] = process.argv.slice(2);
await using client = createClient({ baseUrl, accessToken });
try {
  const { file, rows } = await client.exportLedgers({ out: `ledgers-${period}.csv`, period, tz: 'UTC' });
  console.log(`${rows} ledgers, verified: ${file}`);
  const { episodes } = await client.negative({ period, tz: 'UTC' });
  for (const { symbol, walletId, deepest, openingBalance, began } of episodes) {
    const since = began ? `, since ledger ${began.id}` : '';
    console.log(`${symbol} in ${walletId}: ${deepest?.afterBalance ?? openingBalance}${since}`);
  }
} catch (error) {
  if (!(error instanceof CryptodataError)) throw error;
  console.error(`${error.message} (${error.code})\n${error.hint ?? ''}`);
  process.exitCode = error instanceof UnverifiedError ? 12 : 1;
}
