import { nullable, text as string } from '../../api/records.ts';
import { columnsFlagOf, sameColumns } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { textFlag } from '../../cli/flags.ts';
import { listOf, made, oneOf } from '../../cli/output.ts';
import { type CryptodataError, NotFoundError } from '../../core/errors.ts';
import { didYouMean } from '../../core/nearest.ts';
import { CHANGES, changeOfPath, type FieldRename } from '../../legacy/renames.ts';

const RENAME = made({
  kind: string,
  change: string,
  before: nullable(string),
  now: nullable(string),
  note: nullable(string),
});

const METHOD = /^(GET|HEAD|POST|PUT|PATCH|DELETE)\s+/i;

export const renames = verb({
  name: 'renames',
  summary: 'List differences between the legacy API and the current API',
  about:
    'The command prints the change list of the specification. The list covers paths, fields of holdings, envelopes and formats. Values of `change`: renamed, same (same path, changed fields), removed (no replacement), added. No request is sent.',
  flags: {
    path: textFlag('--path <path-or-field>', 'path, field or part of a response to look up'),
    columns: columnsFlagOf(() => COLUMNS),
  },
  examples: {
    'Print the whole list': 'cryptodata legacy renames',
    'Look up a path': 'cryptodata legacy renames --path /v1/nft-holdings',
    'Look up a combination of method and path': 'cryptodata legacy renames --path "POST /v0/transactions"',
    'Look up a field': 'cryptodata legacy renames --path roi',
    'List the entries that have no replacement': `cryptodata legacy renames --json | jq -r '.[] | select(.change == "removed") | .before'`,
  },
  prints:
    'Records { kind, change, before, now, note }. before is null for additions, and now is null for removals.\nWith --path: one record.',
  output: [listOf(RENAME), oneOf(RENAME, { when: 'with --path' })],
  exits: [0, 2, 5],
  async run(_context, { path }) {
    const rows = CHANGES.map((change) => ({ ...change }));
    if (path === undefined) return { kind: 'rows', rows, columns: COLUMNS };
    const change = find(path);
    if (change === undefined) throw unknown(path);
    return { kind: 'record', record: { ...change }, columns: COLUMNS };
  },
});

const COLUMNS = sameColumns('kind', 'change', 'before', 'now', 'note');

/** Finds a change by path, old name or new name. */
function find(asked: string): FieldRename | undefined {
  const named = asked.trim();
  const [verb = 'GET '] = METHOD.exec(named) ?? [];
  const isPath = named.includes('/');
  if (isPath || METHOD.test(named)) {
    const path = named.replace(METHOD, '');
    return changeOfPath(path, verb.trim()) ?? CHANGES.find(({ now }) => names(now).includes(`GET ${path}`));
  }
  return (
    changeOfPath(named) ??
    CHANGES.find(({ before }) => before === named || before === `pagination.${named}`) ??
    CHANGES.find(({ now }) => names(now).includes(named))
  );
}

/** Returns the entry, followed by each single name in it. For example, `change24h, change24hPercentage` contains two names. */
function names(entry: string | null): readonly string[] {
  return entry === null ? [] : [entry, ...entry.split(', ')];
}

function unknown(asked: string): CryptodataError {
  const known = CHANGES.flatMap(({ before, now }) => [...names(before), ...names(now)]);
  const bare = known.map((name) => name.replace(METHOD, ''));
  const text = asked
    .trim()
    .replace(METHOD, '')
    .replace(/^\/api(?=\/)/, '');
  return new NotFoundError(
    'NOT_IN_CHANGE_LIST',
    `${JSON.stringify(asked)} is not in the change list: either it is unchanged, or it never existed`,
    { hint: didYouMean(text, bare, 'Print the whole list: cryptodata legacy renames') },
  );
}
