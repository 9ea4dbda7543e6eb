/** A value that is encrypted with AES-256-GCM. */
export interface Encrypted {
  readonly nonce: Buffer;
  readonly tag: Buffer;
  readonly data: Buffer;
}

export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** Loads the module on first use, because loading takes 4 ms. Commands that use no session do not need the module. */
const nodeCrypto = () => process.getBuiltinModule('node:crypto');

/** Encrypts a value as JSON with AES-256-GCM. Decryption requires the same `context`. */
export function encrypt(key: Buffer, context: string, value: unknown): Encrypted {
  const { createCipheriv, randomBytes } = nodeCrypto();
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const data = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return { nonce, tag: cipher.getAuthTag(), data };
}

/** @throws Error if the key or the context differs, or if the data was damaged or altered */
export function decrypt(key: Buffer, context: string, { nonce, tag, data }: Encrypted): unknown {
  const decipher = nodeCrypto()
    .createDecipheriv('aes-256-gcm', key, nonce)
    .setAAD(Buffer.from(context))
    .setAuthTag(tag);
  const plain = Buffer.concat([decipher.update(data), decipher.final()]);
  return JSON.parse(plain.toString('utf8'));
}
