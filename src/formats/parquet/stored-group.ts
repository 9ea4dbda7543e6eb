import type { RowGroup as GroupMetaData } from 'hyparquet';

/** A row group as it is stored in a file. */
export interface StoredGroup {
  readonly group: GroupMetaData;
  readonly bytes: Uint8Array;
}

/** The position of the first byte of a row group in its file. */
export function firstOffset({ columns }: GroupMetaData): bigint {
  const [first] = columns;
  const { dictionary_page_offset: dictionary, data_page_offset: data } = first?.meta_data ?? {};
  return dictionary ?? data ?? 0n;
}

/** The metadata of a row group that was moved `shift` bytes towards the end of the file. */
export function shifted({ columns, ...group }: GroupMetaData, shift: bigint): GroupMetaData {
  return {
    ...group,
    columns: columns.map(({ file_offset, meta_data }) => {
      if (!meta_data) throw new Error('a column has no metadata');
      const { dictionary_page_offset: dictionary, data_page_offset, statistics } = meta_data;
      return {
        file_offset: file_offset + shift,
        meta_data: {
          ...meta_data,
          data_page_offset: data_page_offset + shift,
          ...(dictionary !== undefined && { dictionary_page_offset: dictionary + shift }),
          ...(statistics && { statistics: knownOf(statistics) }),
        },
      };
    }),
  };
}

function knownOf<T extends object>(statistics: T): T {
  return Object.fromEntries(Object.entries(statistics).filter(([, value]) => value !== undefined)) as T;
}

/** The least and the greatest value of a column that has values, and the number of rows without a value. */
export interface ColumnBounds {
  readonly least: number;
  readonly greatest: number;
  readonly nulls: number;
}

/** Returns the bounds of a column of 64-bit integers; undefined if it has no values. */
export function groupBounds(groups: readonly GroupMetaData[], column: string): ColumnBounds | undefined {
  let bounds: ColumnBounds | undefined;
  let nulls = 0;
  for (const { columns } of groups) {
    const { statistics } =
      columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === column)?.meta_data ?? {};
    const { min_value: least, max_value: greatest, null_count = 0n } = statistics ?? {};
    nulls += Number(null_count);
    if (typeof least !== 'bigint' || typeof greatest !== 'bigint') continue;
    bounds = {
      least: Math.min(Number(least), bounds?.least ?? Number.POSITIVE_INFINITY),
      greatest: Math.max(Number(greatest), bounds?.greatest ?? Number.NEGATIVE_INFINITY),
      nulls: 0,
    };
  }
  return bounds && { ...bounds, nulls };
}
