import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writePrivateFile } from '../core/file.ts';

const FORMAT = Buffer.from('cds1');
const NONCE = 12;
const TAG = 16;

/** A value as JSON, AES-256-GCM under `key`: `cds1`, nonce, tag, ciphertext. It opens for the same `purpose` only. */
export function seal(key: Buffer, purpose: string, value: unknown): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
  const data = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([FORMAT, nonce, cipher.getAuthTag(), data]);
}

/** The value, or null where this key and purpose do not open it, or it was damaged or altered. */
export function unseal(sealed: Buffer, key: Buffer, purpose: string): unknown {
  try {
    if (!sealed.subarray(0, FORMAT.length).equals(FORMAT)) return null;
    const [nonceEnd, tagEnd] = [FORMAT.length + NONCE, FORMAT.length + NONCE + TAG];
    if (sealed.length < tagEnd) return null;
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(FORMAT.length, nonceEnd))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(sealed.subarray(nonceEnd, tagEnd));
    const plain = Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()]);
    return JSON.parse(plain.toString('utf8'));
  } catch {
    return null;
  }
}

/** Writes a sealed value; a file that is copied to where another is expected does not open there. */
export function writeSealed(path: string, key: Buffer, purpose: string, value: unknown): Promise<void> {
  return writePrivateFile(path, seal(key, purpose, value));
}

/** The value of a sealed file, or null where there is none that opens. */
export async function readSealed(path: string, key: Buffer, purpose: string): Promise<unknown> {
  const file = await readFile(path).catch(() => undefined);
  return file ? unseal(file, key, purpose) : null;
}
