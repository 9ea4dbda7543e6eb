import { readRegularFile, writePrivateFile } from '../core/file.ts';

const FORMAT = Buffer.from('cds1');
const NONCE = 12;
const TAG = 16;

/** Loads the module on first use, because loading takes 4 ms. Commands that use no session do not need the module. */
const nodeCrypto = () => process.getBuiltinModule('node:crypto');

/**
 * Encrypts a value as JSON with AES-256-GCM. The result consists of `cds1`, the nonce, the tag and the ciphertext. Decryption
 * requires the same `purpose`.
 */
export function seal(key: Buffer, purpose: string, value: unknown): Buffer {
  const { createCipheriv, randomBytes } = nodeCrypto();
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
  const data = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([FORMAT, nonce, cipher.getAuthTag(), data]);
}

/** Returns null if the key or the purpose differs, or if the data was damaged or altered. */
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

/** Encrypts a value to a file. Each file needs its own `purpose`: decryption then fails if a file was replaced with another. */
export function writeSealed(path: string, key: Buffer, purpose: string, value: unknown): Promise<void> {
  return writePrivateFile(path, seal(key, purpose, value));
}

/** Returns null if the file does not exist or cannot be decrypted. */
export async function readSealed(path: string, key: Buffer, purpose: string): Promise<unknown> {
  const file = await readRegularFile(path).catch(() => undefined);
  return file ? unseal(file, key, purpose) : null;
}
