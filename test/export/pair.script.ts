// Replaces an export in a separate process, so that tests can kill it. Arguments: FILE TEXT FORMAT.
import { exportRows } from './export-rows.ts';

const [path = '', text = '', format] = process.argv.slice(2);
const run = format === 'parquet' ? exportRows(format, { partitionBy: ['walletId'] }) : exportRows('jsonl');
await run(path, text, true);
process.exit(0);
