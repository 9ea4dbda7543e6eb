// Reads exported files with other programs. No program shares code with the writers of the tool.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { cleanEnv } from '../e2e/harness.ts';
import { ask } from '../formats/duck.ts';
import { programPath, unavailable } from '../needs.ts';

/** An exported file. */
export interface ExportedFor {
  readonly path: string;
  readonly separator: string;
  /** The language in which a spreadsheet opens the file. */
  readonly language: 'en' | 'de';
}

export type Cells = Readonly<Record<string, string>>;

/** `text` reads every cell as text. `plain` reads the file as the program does without settings. */
export type Mode = 'text' | 'plain';

export interface Program {
  readonly name: string;
  /** Extensions of the files that the program reads. A data set has the extension ''. */
  readonly types: readonly string[];
  /**
   * Reads the rows of each file. A program that starts slowly reads several files in one process.
   *
   * @param scratch folder for temporary files
   */
  read(files: readonly ExportedFor[], mode: Mode, scratch: string): Promise<readonly (readonly Cells[])[]>;
}

const READER = fileURLToPath(new URL('read.py', import.meta.url));

function output(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    env: cleanEnv(),
    timeout: 120_000,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error ?? stderr}`);
  return stdout;
}

const python = ['python3', '/usr/bin/python3']
  .map((path) => programPath(path) ?? path)
  .find((path) => spawnSync(path, ['-c', 'import openpyxl, pandas']).status === 0);

function pythonProgram(name: 'openpyxl' | 'pandas', types: readonly string[]): Program {
  return {
    name,
    types,
    async read(files, mode) {
      const words = files.flatMap(({ path, separator }) => [path, separator]);
      return JSON.parse(output(python ?? 'python3', [READER, name, mode, ...words]));
    },
  };
}

/** Number of columns that are read as text. */
const COLUMNS = 60;

const libreOffice: Program = {
  name: 'LibreOffice',
  types: ['.csv', '.xlsx'],
  async read(files, mode, scratch) {
    const text = Array.from({ length: COLUMNS }, (_, at) => `${at + 1}/2`).join('/');
    const inputOf = ({ path, separator, language }: ExportedFor) =>
      extname(path) === '.csv'
        ? `--infilter=CSV:${separator.charCodeAt(0)},34,UTF-8,1,${mode === 'text' ? text : ''},${language === 'de' ? 1031 : 1033},false,true,false`
        : '--norestore';
    for (const input of new Set(files.map(inputOf))) {
      output('soffice', [
        `-env:UserInstallation=file://${join(scratch, 'office')}`,
        ...['--headless', input],
        ...['--convert-to', 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false'],
        ...['--outdir', join(scratch, 'shown')],
        ...files.filter((file) => inputOf(file) === input).map(({ path }) => path),
      ]);
    }
    return files.map(({ path }) =>
      parse(readFileSync(join(scratch, 'shown', `${basename(path, extname(path))}.csv`)), {
        columns: true,
        bom: true,
      }),
    );
  },
};

const duckDb: Program = {
  name: 'DuckDB',
  types: ['.csv', '.json', '.jsonl', '.parquet', ''],
  read: (files, mode) => Promise.all(files.map((file) => duckRows(file, mode))),
};

async function duckRows({ path, separator }: ExportedFor, mode: Mode): Promise<readonly Cells[]> {
  const type = extname(path);
  const text = mode === 'text' ? ", all_varchar = true, quote = '\"'" : '';
  const source =
    type === '.csv'
      ? `read_csv('${path}', delim = '${separator}'${text})`
      : type.startsWith('.json')
        ? `read_json('${path}')`
        : `read_parquet('${type === '' ? `${path}/**/*.parquet` : path}', hive_partitioning = false)`;
  const rows = await ask(`SELECT columns(*)::VARCHAR FROM ${source}`);
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')])),
  );
}

const sqlite: Program = {
  name: 'SQLite',
  types: ['.csv', '.json', '.jsonl'],
  read: async (files) => files.map(sqliteRows),
};

function sqliteRows({ path, separator }: ExportedFor): readonly Cells[] {
  const type = extname(path);
  if (type === '.csv') {
    const settings = ['.mode csv', `.separator "${separator}" "\\n"`, `.import "${path}" rows`, '.mode json'];
    const args = settings.flatMap((setting) => ['-cmd', setting]);
    return JSON.parse(output('sqlite3', [...args, ':memory:', 'SELECT * FROM rows']));
  }
  const text = `CAST(readfile('${path}') AS TEXT)`;
  const array = type === '.json' ? text : `'[' || replace(rtrim(${text}, char(10)), char(10), ',') || ']'`;
  const sql = `SELECT row.key AS number, field.key AS name, field.value AS value FROM json_each(${array}) AS row, json_each(row.value) AS field`;
  const fields: { number: number; name: string; value: unknown }[] = JSON.parse(
    output('sqlite3', ['-json', ':memory:', sql]),
  );
  const rows: Record<string, string>[] = [];
  for (const { number, name, value } of fields)
    rows[number] = { ...rows[number], [name]: String(value ?? '') };
  return rows;
}

export const PROGRAMS: readonly Program[] = [
  libreOffice,
  pythonProgram('openpyxl', ['.xlsx']),
  pythonProgram('pandas', ['.csv', '.json', '.jsonl', '.xlsx']),
  duckDb,
  sqlite,
];

/** Whether all programs are installed. */
export function hasPrograms(): boolean {
  if (python === undefined) return unavailable('not installed: openpyxl and pandas for Python');
  const missing = ['soffice', 'sqlite3'].filter((program) => programPath(program) === undefined);
  return missing.length === 0 || unavailable(`not installed: ${missing.join(', ')}`);
}
