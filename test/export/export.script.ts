// Runs an export in a separate process, so that tests can kill it. Arguments: URL FILE WINDOW-ROWS.
import { Agent } from 'undici';
import { exportToFile } from '../../src/export/ledger-export.ts';
import { exportRequest } from './request.ts';

const [url = '', path = '', rows = ''] = process.argv.slice(2);
await exportToFile(exportRequest(url, new Agent(), { windowRows: Number(rows) }), path, 'resume');
process.exit(0);
