import { readFile } from 'node:fs/promises';
import { writePrivateFile } from '../core/file.ts';

const FORMAT = Buffer.from('cds1');
const NONCE = 12;
const TAG = 16;

/** Loaded on first use, because loading takes 4 ms and commands without a login do not need it. */
const nodeCrypto = () => process.getBuiltinModule('node:crypto');

/** Encrypts a value as JSON with AES-256-GCM: `cds1`, nonce, tag, ciphertext. Decryption requires the same `purpose`. */
export function seal(key: Buffer, purpose: string, value: unknown): Buffer {
  const { createCipheriv, randomBytes } = nodeCrypto();
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
  const data = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([FORMAT, nonce, cipher.getAuthTag(), data]);
}

/** Returns null for another key or purpose, or if the data was damaged or altered. */
export function unseal(sealed: Buffer, key: Buffer, purpose: string): unknown {
  const { createDecipheriv } = nodeCrypto();
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

/** A file copied over another file cannot be decrypted, because the two files have different purposes. */
export function writeSealed(path: string, key: Buffer, purpose: string, value: unknown): Promise<void> {
  return writePrivateFile(path, seal(key, purpose, value));
}

/** Returns null if the file does not exist or cannot be decrypted. */
export async function readSealed(path: string, key: Buffer, purpose: string): Promise<unknown> {
  const file = await readFile(path).catch(() => undefined);
  return file ? unseal(file, key, purpose) : null;
}
