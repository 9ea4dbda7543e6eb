// Exports the ledgers of a quarter, verifies the file, and lists balances that fell below zero. Node.js 24 runs this file
// directly; for older versions, compile the file first. To run it against a sandbox:
//   cryptodata sandbox exec -- node examples/quarter.ts 2025-Q3
import { CryptodataError, createClient, UnverifiedError } from 'cryptodata';

const { CRYPTODATA_BASE_URL: baseUrl, CRYPTODATA_ACCESS_TOKEN: accessToken } = process.env;
const [period = 'last-quarter'] = process.argv.slice(2);
await using client = createClient({ baseUrl, accessToken });
try {
  const { file, rows } = await client.exportLedgers({ out: `ledgers-${period}.csv`, period, tz: 'UTC' });
  console.log(`${rows} ledgers, verified: ${file}`);
  const { episodes } = await client.negative({ period, tz: 'UTC' });
  for (const { symbol, walletId, deepest, began } of episodes) {
    console.log(`${symbol} in ${walletId} fell to ${deepest?.afterBalance}; see ledger ${began?.id}`);
  }
} catch (error) {
  if (!(error instanceof CryptodataError)) throw error;
  console.error(`${error.message} (${error.code})\n${error.hint ?? ''}`);
  process.exitCode = error instanceof UnverifiedError ? 12 : 1;
}
