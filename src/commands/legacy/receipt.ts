import { lstat, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { RequestPreview } from '../../client/transport.ts';
import { type CryptodataError, systemCode, usageError } from '../../core/errors.ts';
import { writePrivateFile } from '../../core/file.ts';
import { type JsonRecord, stringifyJson } from '../../core/json.ts';
import { cannotWrite } from '../../core/unwritable.ts';

/** What became of what was sent. */
export type Fate = 'accepted' | 'refused' | 'unknown' | 'not sent';

/** What came back, as far as anything did. */
export interface Answer {
  readonly status: number | null;
  readonly body: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * What was sent and what came back, in a file that only its owner reads. It is written before anything is sent, with
 * the outcome `unknown`: should this process be killed meanwhile, the file says the truth.
 */
export class Receipt {
  readonly #path: string;
  readonly #sent: JsonRecord;

  private constructor(path: string, sent: JsonRecord) {
    this.#path = path;
    this.#sent = sent;
  }

  /**
   * @param body as it is sent, every digit
   * @throws CryptodataError where it cannot be written, or a receipt stands there already
   */
  static async begin(
    path: string,
    { method, url, headers }: RequestPreview,
    body: unknown,
    now: number,
  ): Promise<Receipt> {
    await refuseExisting(path);
    // Alone: of two commands with the same receipt, one gets it.
    try {
      await (await open(path, 'wx', 0o600)).close();
    } catch (error) {
      throw systemCode(error) === 'EEXIST' ? receiptExists(path) : cannotWrite(path, error);
    }
    const request = { method, url, headers: { ...headers }, body };
    const receipt = new Receipt(path, { sentAt: new Date(now).toISOString(), request });
    await receipt.finish('unknown', { status: null, body: null });
    return receipt;
  }

  /** @throws CryptodataError of kind `output` */
  async finish(outcome: Fate, answer: Answer): Promise<void> {
    const text = stringifyJson({ outcome, ...this.#sent, answer }, 2);
    await writePrivateFile(this.#path, `${text}\n`);
  }
}

/** A receipt is proof: another must not take its place. A folder that is not there is a slip of the finger. */
export async function refuseExisting(path: string): Promise<void> {
  try {
    await lstat(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && (await isFolder(dirname(resolve(path))))) return;
    throw cannotWrite(path, error);
  }
  throw receiptExists(path);
}

function receiptExists(path: string): CryptodataError {
  return usageError(
    `The receipt ${path} exists already`,
    'A receipt is never replaced. Give another name in the same folder, so that repeated transactions are found.',
    'RECEIPT_EXISTS',
  );
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
