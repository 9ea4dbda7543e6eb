import { CryptodataError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { Columns } from '../../output/columns.ts';
import { KINDS } from '../../sandbox/coverage/clause.ts';
import { verb } from '../define.ts';
import { choice, toggle } from '../flags.ts';
import { columnsFlag } from '../shared.ts';

const COLUMNS: Columns = {
  table: [
    { key: 'id' },
    { key: 'kind' },
    { key: 'says' },
    { key: 'tests', derive: ({ tests }) => (Array.isArray(tests) ? tests.length : 0), figure: true },
  ],
  csv: ['id', 'kind', 'place', 'says', 'silent', 'tests'].map((key) => ({ key })),
};

/** Of a few clauses all words are shown. */
const WHOLE_COLUMNS: Columns = {
  table: COLUMNS.table.map((column) => ({ ...column, whole: true })),
  csv: COLUMNS.csv,
};

/** Of what is left open people look for what becomes of it. */
const OPEN_COLUMNS: Columns = {
  table: [
    { key: 'says', whole: true },
    { key: 'silent', header: 'in the sandbox', whole: true },
  ],
  csv: COLUMNS.csv,
};

/** As they are written in a shell. */
const SHELL_KINDS = KINDS.map((kind) => kind.replace(' ', '-'));

export const coverage = verb({
  name: 'coverage',
  summary: 'Each clause of the service specification, and the tests that hold the sandbox to it',
  about:
    'A clause is one thing that the specification says: an endpoint, a parameter, a default, a bound, a field, an error code. Each has a name that the tests of the sandbox carry. Where the specification leaves something open (--open), the table tells how the sandbox stays silent about it, or which setting supplies it. Nothing is started and nothing is asked.',
  operands: [{ written: '[id]', describe: 'one clause, or all below a name: ledgers.limit, ledgers' }],
  flags: {
    kind: choice('--kind <kind>', 'clauses of one kind', SHELL_KINDS),
    open: toggle('--open', 'only what the specification does not show'),
    columns: columnsFlag,
  },
  examples: [
    { says: 'Each clause of the specification', line: 'cryptodata sandbox coverage' },
    { says: 'What holds the limit of a page', line: 'cryptodata sandbox coverage ledgers.limit --json' },
    { says: 'What is left open', line: 'cryptodata sandbox coverage --open' },
    {
      says: 'How many of each kind',
      line: "cryptodata sandbox coverage --json | jq -r '.[].kind' | sort | uniq -c",
    },
  ],
  prints:
    'Records { id, kind, place, says, silent, tests }: place is the heading of the specification, says its words, silent is null but for what is left open, tests are files.',
  exits: [0, 2, 5],
  async run(_context, { kind, open, columns }, [id]) {
    const { CLAUSES, testsOf } = await import('../../sandbox/coverage/index.ts');
    const named = CLAUSES.filter((clause) => id === undefined || isBelow(clause.id, id));
    if (named.length === 0)
      throw unknown(
        id ?? '',
        CLAUSES.map((clause) => clause.id),
      );
    const wanted = open ? 'not shown' : kind?.replace('-', ' ');
    const rows = named.filter((clause) => wanted === undefined || clause.kind === wanted);
    return {
      kind: 'rows',
      rows: rows.map((clause) => ({ ...clause, silent: clause.silent ?? null, tests: testsOf(clause) })),
      columns: wanted === 'not shown' ? OPEN_COLUMNS : id === undefined ? COLUMNS : WHOLE_COLUMNS,
      chosen: columns,
      none: 'No such clause.',
    };
  },
});

function isBelow(id: string, asked: string): boolean {
  const name = asked.toLowerCase().replace(/\.$/, '');
  return id.toLowerCase() === name || id.toLowerCase().startsWith(`${name}.`);
}

function unknown(asked: string, ids: readonly string[]): CryptodataError {
  const names = ids.flatMap((id) => [id, id.split('.')[0] ?? '']);
  const near = nearest(asked, names);
  return new CryptodataError(
    'notFound',
    'UNKNOWN_CLAUSE',
    `No clause has the name ${JSON.stringify(asked)}`,
    {
      hint: near ? `Did you mean ${near}?` : 'All of them: cryptodata sandbox coverage',
    },
  );
}
