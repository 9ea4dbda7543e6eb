import { createHash, createHmac, randomBytes, scrypt } from 'node:crypto';
import { type CryptodataError, UsageError } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { decrypt, type Encrypted, encrypt, NONCE_BYTES, TAG_BYTES } from '../cipher.ts';

/** The unencrypted part of the file: the parameters of the key derivation, and `check`, which verifies the passphrase. */
interface Header {
  readonly version: 1;
  readonly kdf: 'scrypt';
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
  readonly check: string;
}

export type Entries = Readonly<Record<string, string>>;

export interface VaultKey {
  readonly header: Header;
  readonly key: Buffer;
}

// A variant from OWASP's Password Storage Cheat Sheet that needs only 32 MiB, because many processes may derive a key at the
// same time.
const COST = { N: 2 ** 15, r: 8, p: 3 };

export async function createVaultKey(passphrase: string, cost = COST): Promise<VaultKey> {
  const salt = randomBytes(16).toString('base64');
  const { key, check } = await derive(passphrase, { ...cost, salt });
  return { key, header: { version: 1, kdf: 'scrypt', ...cost, salt, check } };
}

/** @throws CryptodataError `WRONG_PASSPHRASE`, or `SECRETS_DAMAGED` for parameters that scrypt rejects */
export async function unlockVault(passphrase: string, header: Header, path: string): Promise<VaultKey> {
  const { key, check } = await derive(passphrase, header).catch((cause) => {
    throw damaged(path, cause);
  });
  if (check === header.check) return { header, key };
  throw new UsageError('WRONG_PASSPHRASE', `Wrong passphrase for ${path}`, {
    hint: 'Use the passphrase that you chose for the file, at the prompt or in CRYPTODATA_PASSPHRASE. If the passphrase is lost, delete the file. Then log in again with each profile: cryptodata login -p NAME.',
  });
}

export function sealVault({ header, key }: VaultKey, entries: Entries): string {
  const { nonce, tag, data } = encrypt(key, JSON.stringify(header), entries);
  const sealed = {
    header,
    digest: digestOf(header),
    nonce: nonce.toString('base64'),
    tag: tag.toString('base64'),
    data: data.toString('base64'),
  };
  return `${JSON.stringify(sealed, undefined, 2)}\n`;
}

export interface SealedVault extends Encrypted {
  readonly header: Header;
}

/** @throws CryptodataError `SECRETS_DAMAGED` */
export function readVault(text: string, path: string): SealedVault {
  let file: unknown;
  try {
    file = parseJson(text);
  } catch (cause) {
    throw damaged(path, cause);
  }
  if (!isRecord(file)) throw damaged(path);
  const header = readHeader(file['header']);
  const [nonce, tag, data] = [file['nonce'], file['tag'], file['data']].map((value) =>
    typeof value === 'string' ? Buffer.from(value, 'base64') : undefined,
  );
  // The digest is compared because a damaged header would otherwise look like a wrong passphrase.
  if (!header || !nonce || !tag || !data || file['digest'] !== digestOf(header)) throw damaged(path);
  if (nonce.length !== NONCE_BYTES || tag.length !== TAG_BYTES) throw damaged(path);
  return { header, nonce, tag, data };
}

export function openVault(sealed: SealedVault, key: Buffer, path: string): Entries {
  try {
    const entries = decrypt(key, JSON.stringify(sealed.header), sealed);
    const read: Record<string, string> = {};
    if (!isRecord(entries)) throw new TypeError('no entries');
    for (const [account, secret] of Object.entries(entries)) {
      if (typeof secret === 'string') read[account] = secret;
    }
    return read;
  } catch (cause) {
    throw damaged(path, cause);
  }
}

function readHeader(value: unknown): Header | null {
  if (!isRecord(value)) return null;
  const { version, kdf, N, r, p, salt, check } = value;
  if (version !== 1 || kdf !== 'scrypt' || typeof salt !== 'string' || typeof check !== 'string') return null;
  if (typeof N !== 'number' || typeof r !== 'number' || typeof p !== 'number') return null;
  // Limit the parameters to 128 MiB of memory and about three times the time that `COST` takes. Otherwise, an altered file
  // could block a command. Parameters that are weaker than `COST` are no danger, because nobody can compute `check` without the
  // passphrase.
  const sane = Number.isInteger(Math.log2(N)) && between(N, 16, 2 ** 17) && between(r, 1, 8);
  return sane && between(p, 1, Math.min(16, 2 ** 21 / (N * r)))
    ? { version, kdf, N, r, p, salt, check }
    : null;
}

function between(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

function digestOf(header: Header): string {
  return createHash('sha256').update(JSON.stringify(header)).digest('base64');
}

type Derivation = Pick<Header, 'N' | 'r' | 'p' | 'salt'>;

function derive(passphrase: string, { N, r, p, salt }: Derivation): Promise<{ key: Buffer; check: string }> {
  // The Unicode form of a passphrase can depend on the keyboard.
  const text = passphrase.normalize('NFKC');
  const options = { N, r, p, maxmem: 256 * (N + p) * r };
  return new Promise((resolve, reject) => {
    scrypt(text, Buffer.from(salt, 'base64'), 64, options, (error, derived) => {
      if (error) return reject(error);
      const check = createHmac('sha256', derived.subarray(32)).update('cryptodata secrets').digest('base64');
      resolve({ key: derived.subarray(0, 32), check });
    });
  });
}

function damaged(path: string, cause?: unknown): CryptodataError {
  return new UsageError('SECRETS_DAMAGED', `${path} is damaged`, {
    hint: 'Restore the file from a backup. If there is no backup, delete the file. Then log in again with each profile: cryptodata login -p NAME.',
    cause,
  });
}
