import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { JsonRecord } from '../../src/core/json.ts';

/**
 * Writes legs as JSON Lines, with the manifest of a verified export.
 *
 * @param span the exported period
 */
export async function writeBooks(
  path: string,
  legs: readonly JsonRecord[],
  span: JsonRecord = {},
): Promise<string> {
  const text = legs.map((leg) => `${JSON.stringify(leg)}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  const manifest = {
    ...{ manifest: 1, tool: 'cryptodata', what: 'ledgers', verified: true, statement: 'verified' },
    ...{ rows: legs.length, columns: null, fieldsLeftOut: {} },
    file: { name: basename(path), bytes: Buffer.byteLength(text), sha256 },
    request: { filters: {}, span, form: { format: 'jsonl', columns: null, timeZone: 'UTC' } },
  };
  await writeFile(path, text);
  await writeFile(`${path}.manifest.json`, JSON.stringify(manifest));
  return path;
}
