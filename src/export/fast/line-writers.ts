import { parseJson } from '../../core/json.ts';
import type { Column, View } from '../../formats/columns.ts';
import type { CsvForm } from '../../formats/text-file.ts';

/** Writes the text of a row from the JSON of its values. */
export interface LineWriter {
  /** Dotted paths of the values that it needs. */
  readonly wanted: readonly string[];
  /**
   * @param row JSON of the whole row
   * @param values JSON of the wanted values, in their order; undefined for a missing field
   * @param unusual JSON of the values that may be written differently after parsing
   * @returns undefined if the row must be parsed
   */
  write(
    row: () => string,
    values: readonly (string | undefined)[],
    unusual: readonly string[],
  ): string | undefined;
}

/** Rows as served, between two texts. */
export function verbatim(before: string, encode: (value: unknown) => string, after: string): LineWriter {
  return {
    wanted: [],
    write(row, _values, unusual) {
      if (unusual.some((json) => encode(parseJson(json)) !== json)) return undefined;
      return before + row() + after;
    },
  };
}

/** @returns undefined if a column needs the whole record */
export function csvWriter(columns: readonly Column[], form: CsvForm, view: View): LineWriter | undefined {
  const needRecord = columns.some(({ derive, from }) => derive && from === undefined);
  if (columns.length === 0 || needRecord) return undefined;
  const paths = columns.map(({ key, from }) => from ?? key);
  const wanted = [...new Set(paths)];
  const slots = paths.map((path) => wanted.indexOf(path));
  const cellOf = columns.map(({ derive }, at) => {
    const name = paths[at] ?? '';
    return (json: string, isUsual: boolean) => {
      if (derive) return form.cell(derive({ [name]: parseJson(json) }, view));
      if (!isUsual) return form.cell(parseJson(json));
      return form.cell(json.charCodeAt(0) === 0x22 ? json.slice(1, -1) : json);
    };
  });
  // Most columns have the same value in the next row.
  const before: string[] = columns.map(() => 'null');
  const cells: string[] = columns.map(() => form.empty);
  return {
    wanted,
    write(_row, values, unusual) {
      const isUsual = unusual.length === 0;
      for (let at = 0; at < cells.length; at++) {
        const json = values[slots[at] ?? 0] ?? 'null';
        if (json === before[at]) continue;
        before[at] = json;
        cells[at] = json === 'null' ? form.empty : (cellOf[at]?.(json, isUsual) ?? form.empty);
      }
      return cells.join(',') + form.end;
    },
  };
}
