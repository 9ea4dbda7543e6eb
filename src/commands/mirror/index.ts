import type { Noun } from '../../cli/define.ts';
import { run } from './run.ts';

export const noun: Noun = {
  name: 'mirror',
  summary: 'Keep a verified local copy of the books, in Parquet files',
  verbs: [run],
  alone: 'run',
};
