import { createHash } from 'node:crypto';
import type { Manifest } from '../../src/export/manifest.ts';

export const CSV = 'id,note\na,1\nb,"x\ny"\n';

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Returns the manifest of a verified export whose file contains `text`. */
export function manifestFor(text: string, more: Partial<Manifest> = {}): Manifest {
  return {
    ...{
      manifest: 1,
      tool: 'cryptodata 0.1.0',
      what: 'ledgers',
      verified: true,
      statement: 'verified',
      rows: 2,
    },
    file: { name: 'a.csv', bytes: Buffer.byteLength(text), sha256: sha256(text) },
    request: { form: { format: 'csv' } },
    ...{ columns: ['id'], fieldsLeftOut: {}, t1: { total: 2 }, neighbours: 0 },
    ...more,
  };
}
