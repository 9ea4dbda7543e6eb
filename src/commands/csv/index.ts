import type { NounVerbs } from '../../cli/define.ts';
import { checkCsv } from './check.ts';
import { upload } from './upload.ts';

export const noun: NounVerbs = {
  about:
    'Import files contain transactions of accounts that the service cannot sync. A provider accepts files if its "importMethods" include "csv". To list the providers: cryptodata providers list',
  verbs: [checkCsv, upload],
  sends: true,
};
