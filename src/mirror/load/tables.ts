import { isRecord, type JsonRecord, stringifyJson } from '../../core/json.ts';
import { valueAt } from '../../formats/columns.ts';
import { readRecords } from '../../formats/lines.ts';
import { type HistoryEntry, readHistoryFile } from '../history.ts';
import { readLegFile } from '../leg-file.ts';
import { type ListColumn, listColumns, listValue, RECORD } from '../list-rows.ts';
import { type MirrorFile, type MirrorManifest, SNAPSHOTS, type SnapshotName } from '../manifest.ts';
import type { TableName } from '../sql/names.ts';
import { LEG_CELLS, legCells } from './leg-cells.ts';
import {
  type Cell,
  EXACT_RECORD,
  jsonbText,
  type Loss,
  numberText,
  numericText,
  snakeCase,
  storable,
  type TableColumn,
  timestampText,
} from './values.ts';

/** A table in PostgreSQL. Its rows are read from files of a mirror. */
export interface LoadTable {
  readonly name: TableName;
  readonly columns: readonly TableColumn[];
  /** Columns that have an index, in addition to the `mirror_file` column. */
  readonly indexed: readonly string[];
  files(manifest: MirrorManifest): readonly MirrorFile[];
  /** Reads the rows of one file of the mirror. */
  rows(path: string): AsyncIterable<readonly Cell[]>;
}

/** Returns every table, in the order of {@link TableName}. */
export async function loadTables(): Promise<readonly LoadTable[]> {
  return [LEDGERS, HISTORY, ...(await Promise.all(SNAPSHOTS.map(listTable)))];
}

const LEDGERS: LoadTable = {
  name: 'ledgers',
  columns: LEG_CELLS,
  indexed: ['id', 'timestamp'],
  files: ({ ledgers }) => ledgers.windows.flatMap(({ file }) => file ?? []),
  async *rows(path) {
    for await (const leg of readLegFile(path)) yield legCells(leg, { lost: false });
  },
};

const HISTORY: LoadTable = {
  name: 'ledgers_history',
  columns: [
    { name: 'change', type: 'text' },
    { name: 'leg_key', type: 'text' },
    { name: 'seen_at', type: 'timestamptz' },
    { name: 'timestamp_after', type: 'timestamptz' },
    ...LEG_CELLS,
  ],
  indexed: ['leg_key', 'seen_at'],
  files: ({ history }) => history,
  async *rows(path) {
    for await (const entry of readHistoryFile(path)) yield historyCells(entry);
  },
};

function historyCells({ change, key, seenAt, timestampAfter, before }: HistoryEntry): Cell[] {
  const loss = { lost: false };
  const cells = [change, storable(key, loss), timestampText(seenAt), timestampText(timestampAfter)];
  return [...cells, ...(isRecord(before) ? legCells(before, loss) : LEG_CELLS.map(() => null))];
}

const TYPES = { decimal: 'numeric', boolean: 'boolean', text: 'text' } as const;

async function listTable(name: SnapshotName): Promise<LoadTable> {
  // Call `listColumns` without records, so that it returns only columns for fields in the specification. The columns of a table
  // must never change.
  const columns = await listColumns(name, none());
  return {
    name,
    columns: [
      ...columns.map(
        ({ key, kind }): TableColumn => ({
          name: snakeCase(key),
          type: key === RECORD ? 'jsonb' : TYPES[kind],
        }),
      ),
      { name: EXACT_RECORD, type: 'text' },
    ],
    indexed: [],
    files: ({ snapshots }) => snapshots[name]?.files ?? [],
    async *rows(path) {
      for await (const record of readRecords(path)) yield listCells(record, columns);
    },
  };
}

async function* none(): AsyncGenerator<JsonRecord> {}

function listCells(record: JsonRecord, columns: readonly ListColumn[]): Cell[] {
  const loss: Loss = { lost: false };
  const cells = columns.map((column) => listCell(record, column, loss));
  return [...cells, loss.lost ? stringifyJson(record) : null];
}

function listCell(record: JsonRecord, column: ListColumn, loss: Loss): Cell {
  if (column.key === RECORD) return jsonbText(record, loss);
  if (column.kind === 'decimal') {
    const number = numberText(valueAt(record, column.key));
    return number === undefined ? null : numericText(number);
  }
  const value = listValue(record, column);
  return typeof value === 'string' ? storable(value, loss) : value;
}
