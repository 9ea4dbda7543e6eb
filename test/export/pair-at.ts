import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Returns the hashes of the pair at `path`, or undefined if neither part exists. Fails if the manifest describes other data. */
export function pairAt(path: string): string | undefined {
  const place = `${path}.manifest.json`;
  if (!existsSync(place)) return existsSync(path) ? 'data without manifest' : undefined;
  const { file, files } = JSON.parse(readFileSync(place, 'utf8'));
  expect(existsSync(path), 'a manifest without data').toBe(true);
  if (file) expect(sha256(path)).toBe(file.sha256);
  for (const part of files ?? []) expect(sha256(join(path, part.path))).toBe(part.sha256);
  return JSON.stringify(file ?? files);
}
