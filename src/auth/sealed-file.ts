import { readRegularFile, writePrivateFile } from '../core/file.ts';
import { decrypt, encrypt, NONCE_BYTES, TAG_BYTES } from './cipher.ts';

const FORMAT = Buffer.from('cds1');

/** Encrypts a value. The result consists of `cds1`, the nonce, the tag and the ciphertext. */
export function seal(key: Buffer, purpose: string, value: unknown): Buffer {
  const { nonce, tag, data } = encrypt(key, purpose, value);
  return Buffer.concat([FORMAT, nonce, tag, data]);
}

/** Returns null if the key or the purpose differs, or if the data was damaged or altered. */
export function unseal(sealed: Buffer, key: Buffer, purpose: string): unknown {
  if (!sealed.subarray(0, FORMAT.length).equals(FORMAT)) return null;
  const nonceEnd = FORMAT.length + NONCE_BYTES;
  const tagEnd = nonceEnd + TAG_BYTES;
  if (sealed.length < tagEnd) return null;
  const [nonce, tag, data] = [
    sealed.subarray(FORMAT.length, nonceEnd),
    sealed.subarray(nonceEnd, tagEnd),
    sealed.subarray(tagEnd),
  ];
  try {
    return decrypt(key, purpose, { nonce, tag, data });
  } catch {
    return null;
  }
}

/** Encrypts a value to a file. Each file needs its own `purpose`: decryption then fails if a file was replaced with another. */
export function writeSealed(path: string, key: Buffer, purpose: string, value: unknown): Promise<void> {
  return writePrivateFile(path, seal(key, purpose, value));
}

/** Returns null if the file does not exist or cannot be decrypted. */
export async function readSealed(path: string, key: Buffer, purpose: string): Promise<unknown> {
  const file = await readRegularFile(path).catch(() => undefined);
  return file ? unseal(file, key, purpose) : null;
}
