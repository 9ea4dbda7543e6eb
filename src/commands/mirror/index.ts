import type { Noun } from '../../cli/define.ts';
import { changes } from './changes.ts';
import { load } from './load.ts';
import { run } from './run.ts';
import { sql } from './sql.ts';
import { status } from './status.ts';

export const noun: Noun = {
  name: 'mirror',
  summary: 'Keep a verified local copy of the books, in Parquet files',
  verbs: [run, status, changes, sql, load],
  alone: 'run',
};
