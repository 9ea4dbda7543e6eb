import type { Noun } from '../define.ts';
import { check } from './check.ts';
import { upload } from './upload.ts';

export const noun: Noun = {
  name: 'csv',
  summary: 'Import files: check them here, then upload them',
  about:
    'For accounts that the service cannot read by itself: a file of their transactions is imported. Which accounts take one: providers list (import by csv).',
  verbs: [check, upload],
};
