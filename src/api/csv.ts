import { call } from './endpoint.ts';
import { anything, type RecordOf } from './records.ts';

export const csvUpload = call({
  method: 'POST',
  path: '/v1/csv/upload',
  answer: {
    /** Files that failed. */
    failures: anything,
  },
});
/** The response to an upload. The upload succeeds with or without failed files. */
export type UploadResult = RecordOf<typeof csvUpload.answer>;
