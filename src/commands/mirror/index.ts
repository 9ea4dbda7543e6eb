import type { Noun } from '../../cli/define.ts';
import { changes } from './changes.ts';
import { forget } from './forget.ts';
import { load } from './load.ts';
import { runMirrorVerb } from './run.ts';
import { sql } from './sql.ts';
import { mirrorStatus } from './status.ts';
import { vacuum } from './vacuum.ts';

export const noun: Noun = {
  name: 'mirror',
  summary: 'Keep a verified local copy of the books, in Delta tables',
  verbs: [runMirrorVerb, mirrorStatus, changes, sql, load, vacuum, forget],
  alone: 'run',
};
