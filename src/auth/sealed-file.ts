import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writePrivateFile } from '../base/file.ts';

const FORMAT = Buffer.from('cds1');
const NONCE = 12;
const TAG = 16;

/**
 * Writes a value as JSON, AES-256-GCM under `key`: `cds1`, nonce, tag, ciphertext. `purpose` is bound to it: a
 * file that is copied to where another is expected does not open there.
 */
export async function writeSealed(path: string, key: Buffer, purpose: string, value: unknown): Promise<void> {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
  const data = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  await writePrivateFile(path, Buffer.concat([FORMAT, nonce, cipher.getAuthTag(), data]));
}

/** The value, or null where there is none that this key opens: a file that was damaged or altered counts as none. */
export async function readSealed(path: string, key: Buffer, purpose: string): Promise<unknown> {
  try {
    const file = await readFile(path);
    if (!file.subarray(0, FORMAT.length).equals(FORMAT)) return null;
    const [nonceEnd, tagEnd] = [FORMAT.length + NONCE, FORMAT.length + NONCE + TAG];
    if (file.length < tagEnd) return null;
    const decipher = createDecipheriv('aes-256-gcm', key, file.subarray(FORMAT.length, nonceEnd))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(file.subarray(nonceEnd, tagEnd));
    const plain = Buffer.concat([decipher.update(file.subarray(tagEnd)), decipher.final()]);
    return JSON.parse(plain.toString('utf8'));
  } catch {
    return null;
  }
}
