// Loads a mirror in a separate process, so that a test can kill the process. Arguments: FOLDER ADDRESS.
import { loadMirror } from '../../src/mirror/load/load.ts';
import { parseDatabaseTarget } from '../../src/mirror/load/target.ts';
import { openMirror } from '../../src/mirror/open.ts';

const [folder = '', to = ''] = process.argv.slice(2);
await loadMirror(await openMirror(folder), {
  ...{ target: parseDatabaseTarget(to, process.env), schema: 'public', full: false },
  ...{ signal: new AbortController().signal, password: async () => process.env['PGPASSWORD'] },
  onProgress: ({ step, table, rows }) => process.stdout.write(`${step} ${table} ${rows}\n`),
});
process.exit(0);
