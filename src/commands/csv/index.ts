import type { Noun } from '../../cli/define.ts';
import { check } from './check.ts';
import { upload } from './upload.ts';

export const noun: Noun = {
  name: 'csv',
  summary: 'Check and upload import files',
  about:
    'Import transactions from files, for accounts that the service cannot sync. A provider accepts files if its importMethods include csv (see cryptodata providers list).',
  verbs: [check, upload],
  sends: true,
};
