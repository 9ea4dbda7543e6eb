import { arrayOf, bool, int, nullable, text, word } from '../../api/records.ts';
import { openBooks } from '../../app/mirror-choice.ts';
import { verb } from '../../cli/define.ts';
import { textFlag, toggle } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import { made, ofSchema, oneOf } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { Claim } from '../../core/claim.ts';
import { unverifiedError, usageError } from '../../core/errors.ts';
import { count, plural, showText } from '../../core/text.ts';
import type { Columns } from '../../formats/columns.ts';
import { openColumns } from '../../formats/open.ts';
import { claimsOf } from '../../mirror/claims.ts';
import type { LoadedTable, LoadProgress } from '../../mirror/load/load.ts';
import type { DatabaseTarget } from '../../mirror/load/target.ts';
import { TABLES } from '../../mirror/manifest.ts';
import { FOLDER } from './folder.ts';
import { stateNotes } from './sql-result.ts';

const TABLE = made({
  table: word(...TABLES),
  ...{ rows: int, sent: int, removed: int, files: int, filesSent: int },
});
const LOADED = made({
  ...{ folder: text, database: text, schema: text, verified: bool, why: nullable(text), readAt: text },
  ...{ rows: int, sent: int, removed: int },
  tables: arrayOf(ofSchema(TABLE)),
});

export const load = verb({
  name: 'load',
  summary: 'Load a mirror into PostgreSQL and verify counts and sums',
  about: `The first load creates the tables ${TABLES.join(', ')}. Later loads send only changed time windows and new files of other lists, and delete the rows of removed windows and files. Each load is one transaction. Until the commit, readers see the earlier state, and a crash leaves that state unchanged. Before the commit, the command compares the row counts and the sums of all amounts with the mirror, to the last digit. If a count or a sum differs, the command commits nothing and exits with 12. If a table, a column or an index is missing, the command creates it again and sends the rows of the table again.

The password comes from PGPASSWORD, from the file named by PGPASSFILE (default: ~/.pgpass), or from a prompt on a terminal. A password in the address is refused. PGHOST, PGPORT, PGUSER and PGDATABASE supply the parts that the address does not contain.

The connection is encrypted and the server certificate is verified, except for a server on this machine. sslrootcert=FILE or PGSSLROOTCERT sets the certificate file of your own certificate authority. Values of sslmode: verify-full (default; require means the same), verify-ca (any host name), disable (no encryption).`,
  operands: [FOLDER],
  flags: {
    to: textFlag('--to <address>', 'the database: postgres://user@host:port/name, without a password'),
    schema: textFlag('--schema <name>', 'schema for the tables; created if it is missing (default: public)'),
    full: toggle('--full', 'send every row again, for example after manual edits in the database'),
  },
  examples: {
    'Load the mirror, or the changes since the last load':
      'cryptodata mirror load books --to postgres://analyst@db.example/books',
    'Trust your own certificate authority':
      "cryptodata mirror load books --to 'postgres://analyst@db.example/books?sslrootcert=ca.pem'",
    'Use a local socket and a separate schema':
      "cryptodata mirror load books --to 'postgres:///books?host=/var/run/postgresql' --schema crypto",
  },
  prints: `A record { folder, database, schema, verified, why, readAt, rows, sent, removed, tables }. verified, why and readAt describe the ledgers of the mirror. The ledgers are unverified while time windows are marked for re-reading. rows is the current number of rows in all tables. sent and removed count the rows of this load.
tables: { table, rows, sent, removed, files, filesSent }.
On stderr: progress, and whether the mirror is verified.`,
  output: [oneOf(LOADED)],
  exits: [0, 2, 3, 12, 13, 130],
  async run(context, { to, schema = 'public', full }, [folder = '']) {
    if (to === undefined) {
      throw usageError(
        'The address of the database is missing',
        'For example: --to postgres://db.example/books',
        'NO_TARGET',
      );
    }
    const { parseDatabaseTarget } = await import('../../mirror/load/target.ts');
    const target = parseDatabaseTarget(to, context.env);
    const mirror = await openBooks(context, folder);
    if (target.isOpen)
      context.say(`warning: the connection to ${target.name} is not encrypted (sslmode=disable).`);
    const { loadMirror } = await import('../../mirror/load/load.ts');
    const tables = await loadMirror(mirror, {
      ...{ target, schema, full: full === true, signal: context.signal },
      password: () => passwordOf(context, target),
      onProgress: (progress) => context.progress().update(progressText(progress)),
    });
    const { claim, readAt } = claimsOf(mirror, {});
    const { verified, why = null } = claim;
    const states = stateNotes(
      mirror,
      tables.map(({ name }) => name),
    );
    const rows = tables.map(({ name, unheld: _, ...table }) => ({ table: name, ...table }));
    const sum = (name: 'rows' | 'sent' | 'removed') => tables.reduce((all, table) => all + table[name], 0);
    const place = { folder, database: target.name, schema };
    const counts = { rows: sum('rows'), sent: sum('sent'), removed: sum('removed') };
    return {
      kind: 'record',
      record:
        (await context.format()) === 'table'
          ? { ...place, ...counts }
          : { ...place, verified, why, readAt, ...counts, tables: rows },
      columns: openColumns,
      parts: [{ title: 'Tables', rows, columns: TABLE_COLUMNS }],
      notes: () => [{ text: Claim.verified({ by: 'load' }).text() }, ...states, ...unheldNotes(tables)],
      failed: () =>
        verified
          ? undefined
          : unverifiedError(
              `Loaded and committed, but the ledgers of the mirror are not verified: ${showText(why ?? 'reason unknown')}`,
              `Update the mirror, then load it again: ${mirror.update}`,
              'MIRROR_UNVERIFIED',
            ),
    };
  },
});

async function passwordOf(context: Context, target: DatabaseTarget): Promise<string | undefined> {
  const { findPassword } = await import('../../mirror/load/password.ts');
  const found = await findPassword(target, context.env, context.say);
  if (found !== undefined) context.conceal(found);
  if (found !== undefined || !context.interactive) return found;
  context.progress().stop();
  return context.askSecret(`Password for user ${showText(target.user)} on ${target.name}`);
}

function progressText({ step, table, rows, total }: LoadProgress): string {
  if (step === 'connect') return 'Connecting';
  if (step === 'insert') return `Inserting into ${table}`;
  if (step === 'verify') return `Verifying ${table}`;
  return `Sending ${table}: ${count(rows)} of ${count(total)} rows`;
}

const TABLE_COLUMNS: Columns = {
  table: [
    { key: 'table' },
    ...['rows', 'sent', 'removed', 'files'].map((key) => ({ key, figure: true })),
    { key: 'filesSent', header: 'files sent', figure: true },
  ],
  csv: ['table', 'rows', 'sent', 'removed', 'files', 'filesSent'].map((key) => ({ key })),
};

function unheldNotes(tables: readonly LoadedTable[]): Note[] {
  return tables.flatMap(({ name, unheld }) =>
    Object.entries(unheld).map(([column, values]) => ({
      text: `warning: ${column} of ${name} is NULL in ${plural(values, 'row', 'rows')}. The original value is not a decimal number, or has more than 300 digits before or after the point. Sums omit these rows. ${column}_exact contains the exact text.`,
      warning: true,
    })),
  );
}
