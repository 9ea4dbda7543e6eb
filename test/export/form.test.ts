import { describe, expect, test } from 'vitest';
import { type FormOptions, formFor, layoutFor } from '../../src/export/form.ts';
import { exportedFormat } from '../../src/formats/registry.ts';

const view = { timeZone: 'UTC' };
const column = { key: 'id' };
const columns = { columns: [column], known: { csv: [column], table: [] } };
const DEFAULTS = {
  csvGuard: 'on',
  csvDialect: 'plain',
  parquetDecimals: 'decimal',
  parquetNumbers: 'string',
};

describe('the export form', () => {
  test('formFor and layoutFor use defaults for omitted options', () => {
    expect(formFor({ format: 'csv' }, view)).toEqual({
      format: 'csv',
      columns: null,
      timeZone: 'UTC',
      ...DEFAULTS,
    });
    const { shape: _, ...layout } = layoutFor({ format: 'csv' }, view, columns);
    expect(layout).toEqual({
      ...{ format: exportedFormat('csv'), columns: [column], known: [column], whole: true, view },
      ...{
        guard: true,
        dialect: 'plain',
        parquetDecimals: 'decimal',
        parquetNumbers: 'string',
        hasNames: false,
        added: [],
      },
    });
  });

  test('formFor and layoutFor use the given options', () => {
    const given: Omit<FormOptions, 'format'> = {
      columns: ['id'],
      csvGuard: 'off',
      csvDialect: 'excel',
      separator: ';',
      parquetDecimals: 'string',
      parquetNumbers: 'double',
    };
    const options: FormOptions = { format: 'csv', ...given };
    expect(formFor(options, view)).toEqual({ format: 'csv', timeZone: 'UTC', ...given });
    expect(layoutFor(options, view, columns)).toMatchObject({
      ...{ whole: false, guard: false, dialect: 'excel', separator: ';' },
      ...{ parquetDecimals: 'string', parquetNumbers: 'double' },
    });
    expect(layoutFor({ format: 'csv', columns: ['+id'] }, view, columns)).toMatchObject({ whole: true });
  });

  test.each<[Partial<FormOptions>, object]>([
    [{}, {}],
    [{ separator: ',' }, {}],
    [{ separator: '\t' }, { separator: '\t' }],
    [{ decimalComma: true }, { separator: ';', decimalComma: true }],
    [
      { decimalComma: true, separator: '|' },
      { separator: '|', decimalComma: true },
    ],
    [{ decimalComma: false }, {}],
  ])('formFor turns the options %j into the CSV settings %j', (options, locale) => {
    const form = formFor({ format: 'csv', ...options }, view);
    expect(form).toEqual({ format: 'csv', columns: null, timeZone: 'UTC', ...DEFAULTS, ...locale });
  });

  test('rejects CSV options for any format but CSV, and rejects a comma that is both the separator and the decimal mark', () => {
    for (const options of [{ separator: ';' }, { decimalComma: true }] as const) {
      expect(() => formFor({ format: 'json', ...options }, view)).toThrow(
        expect.objectContaining({ code: 'NOT_CSV' }),
      );
    }
    expect(formFor({ format: 'json', decimalComma: false }, view)).toMatchObject({ format: 'json' });
    expect(() => formFor({ format: 'csv', decimalComma: true, separator: ',' }, view)).toThrow(
      expect.objectContaining({ code: 'TWO_COMMAS' }),
    );
  });
});
