import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { arrayOf, nullable, text } from '../../api/records.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { choiceFlag, toggle } from '../../cli/flags.ts';
import { listOf, made } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { unknownOperand } from '../../core/nearest.ts';
import type { Columns } from '../../formats/columns.ts';
import { CLAUSE_KINDS } from '../../sandbox/clauses/clause.ts';

const CLAUSE = made({
  id: text,
  kind: text,
  place: text,
  says: text,
  silent: nullable(text),
  tests: arrayOf(text),
});

const COLUMNS: Columns = {
  table: [
    { key: 'id' },
    { key: 'kind' },
    { key: 'says' },
    { key: 'tests', derive: ({ tests }) => (Array.isArray(tests) ? tests.length : 0), figure: true },
  ],
  csv: ['id', 'kind', 'place', 'says', 'silent', 'tests'].map((key) => ({ key })),
};

/** Columns for selected clauses. Long cells are not truncated. */
const WHOLE_COLUMNS: Columns = {
  table: COLUMNS.table.map((column) => ({ ...column, whole: true })),
  csv: COLUMNS.csv,
};

const OPEN_COLUMNS: Columns = {
  table: [
    { key: 'says', whole: true },
    { key: 'silent', header: 'in the sandbox', whole: true },
  ],
  csv: COLUMNS.csv,
};

/** The values of `--kind`, with hyphens instead of spaces, so that a shell needs no quotes. */
const SHELL_KINDS = CLAUSE_KINDS.map((kind) => kind.replace(' ', '-'));

export const coverage = verb({
  name: 'coverage',
  summary: 'List the clauses of the service specification and their tests',
  about:
    'A clause is one statement of the specification, for example about an endpoint, a parameter, a default or an error code. The title of each sandbox test contains the ids of the clauses that the test checks. --open lists only the details that the specification leaves open, and shows how the sandbox behaves in each case. --kind not-shown lists the details that the specification calls "not shown". --kind silent lists the details that the specification does not mention. The command neither starts a sandbox nor sends a request.',
  operands: [
    { written: '[id]', describe: 'a clause such as ledgers.limit, or a group of clauses such as ledgers' },
  ],
  flags: {
    kind: choiceFlag('--kind <kind>', 'only clauses of this kind', SHELL_KINDS),
    open: toggle('--open', 'only details that the specification leaves open'),
    columns: columnsFlagOf(() => COLUMNS),
  },
  examples: {
    'List all clauses': 'cryptodata sandbox coverage',
    'List the tests for the page limit': 'cryptodata sandbox coverage ledgers.limit --json',
    'List the details that the specification leaves open': 'cryptodata sandbox coverage --open',
    'Count the clauses of each kind':
      "cryptodata sandbox coverage --json | jq -r '.[].kind' | sort | uniq -c",
  },
  prints:
    'Records { id, kind, place, says, silent, tests }. "place" is the heading in the specification. "silent" describes the behaviour of the sandbox for a detail that the specification leaves open, and is otherwise null. "tests" lists the test files.',
  output: [listOf(CLAUSE)],
  exits: [0, 2, 5],
  async run(context, { kind, open }, [id]) {
    const { CLAUSES } = await import('../../sandbox/clauses/index.ts');
    const tests = await readTests(context);
    const clauses = CLAUSES.map((clause) => ({
      ...clause,
      silent: clause.silent ?? null,
      tests: tests[clause.id] ?? [],
    }));
    const named = clauses.filter((clause) => id === undefined || isBelow(clause.id, id));
    if (id !== undefined && named.length === 0) {
      const ids = clauses.flatMap((clause) => [clause.id, clause.id.split('.')[0] ?? '']);
      const list = 'List all clauses with: cryptodata sandbox coverage';
      throw unknownOperand('UNKNOWN_CLAUSE', 'clause', id, ids, list);
    }
    const wanted = kind?.replace('-', ' ');
    const isOpen = open === true || ['not shown', 'silent'].includes(wanted ?? '');
    const rows = named.filter(
      (clause) =>
        (wanted === undefined || clause.kind === wanted) && (open !== true || clause.silent !== null),
    );
    return {
      kind: 'rows',
      rows,
      columns: isOpen ? OPEN_COLUMNS : id === undefined ? COLUMNS : WHOLE_COLUMNS,
      none: 'No clause has this kind.',
    };
  },
});

/** Reads the test files of each clause. The build collects them from the titles of the tests. */
async function readTests({ entry }: Context): Promise<Readonly<Record<string, readonly string[]>>> {
  return JSON.parse(await readFile(join(dirname(entry), '..', 'dist', 'clause-tests.json'), 'utf8'));
}

function isBelow(id: string, asked: string): boolean {
  const name = asked.toLowerCase().replace(/\.$/, '');
  return id.toLowerCase() === name || id.toLowerCase().startsWith(`${name}.`);
}
