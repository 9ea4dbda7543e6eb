import { isRecord, type JsonRecord, stringifyJson } from '../../core/json.ts';
import { valueAt } from '../../formats/columns.ts';
import { type ListColumn, listColumns, RECORD } from '../columns.ts';
import { type HistoryEntry, readHistoryFile } from '../history.ts';
import { POSITION } from '../leg-rows.ts';
import { listValue, readListFile } from '../list-rows.ts';
import { type MirrorFile, partitionOf, SNAPSHOTS, type SnapshotName, type TableName } from '../manifest.ts';
import type { Mirror } from '../open.ts';
import { LEG_CELLS, legCells } from './leg-cells.ts';
import {
  type Cell,
  EXACT_RECORD,
  jsonbText,
  type Loss,
  numberText,
  numericText,
  storable,
  type TableColumn,
  timestampText,
} from './values.ts';

/** A table in PostgreSQL. The rows of the table are read from files of a mirror. */
export interface LoadTable {
  readonly name: TableName;
  readonly columns: readonly TableColumn[];
  /** Columns that have an index, in addition to the `mirror_file` column. */
  readonly indexed: readonly string[];
  units(mirror: Mirror): readonly LoadUnit[];
}

/** Rows that are loaded and removed together: the legs of a window, or the rows of a file. */
export interface LoadUnit {
  readonly name: string;
  /** A hash that changes if the rows change. */
  readonly sha256: string;
  readonly rows: number;
  read(): AsyncIterable<readonly Cell[]>;
}

function fileUnits(
  mirror: Mirror,
  files: readonly MirrorFile[],
  rowsOf: (path: string) => AsyncIterable<readonly Cell[]>,
): LoadUnit[] {
  return files.map((file) => ({
    ...{ name: file.file, sha256: file.sha256, rows: file.rows },
    async *read() {
      yield* rowsOf(await mirror.check(file));
    },
  }));
}

export function loadTables(): readonly LoadTable[] {
  return [LEDGERS, HISTORY, ...SNAPSHOTS.map(listTable)];
}

const LEDGERS: LoadTable = {
  name: 'ledgers',
  columns: [...LEG_CELLS, { name: POSITION, type: 'integer' }],
  indexed: ['id', 'timestamp'],
  units: (mirror) =>
    mirror.manifest.ledgers.windows
      .filter(({ part }) => part !== null)
      .map((window) => ({
        ...{ name: `ledgers/${window.from ?? 'start'}-${window.to ?? 'end'}`, rows: window.rows },
        sha256: window.legsSha256 ?? '',
        async *read() {
          for await (const { leg, position } of mirror.rowsOf(window))
            yield [...legCells(leg, { lost: false }), position === null ? null : String(position)];
        },
      })),
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
  units: (mirror) =>
    fileUnits(mirror, mirror.filesOf('ledgers_history'), async function* (path) {
      const workspace = partitionOf(mirror.manifest.workspace);
      for await (const entry of readHistoryFile(path, workspace)) yield historyCells(entry);
    }),
};

function historyCells({ change, key, seenAt, timestampAfter, before }: HistoryEntry): Cell[] {
  const loss = { lost: false };
  const cells = [change, storable(key, loss), timestampText(seenAt), timestampText(timestampAfter)];
  return [...cells, ...(isRecord(before) ? legCells(before, loss) : LEG_CELLS.map(() => null))];
}

const TYPES = { decimal: 'numeric', boolean: 'boolean', text: 'text', json: 'jsonb' } as const;

function listTable(name: SnapshotName): LoadTable {
  const columns = listColumns(name);
  return {
    name,
    columns: [
      ...columns.map(
        ({ name, kind }): TableColumn => ({
          name,
          type: TYPES[kind],
        }),
      ),
      { name: EXACT_RECORD, type: 'text' },
    ],
    indexed: [],
    units: (mirror) =>
      fileUnits(mirror, mirror.filesOf(name), async function* (path) {
        for await (const record of readListFile(path)) yield listCells(record, columns);
      }),
  };
}

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
