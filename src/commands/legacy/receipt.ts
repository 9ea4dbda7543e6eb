import { lstat, open, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { RequestPreview } from '../../client/request.ts';
import { withoutQuery } from '../../core/address.ts';
import { type CryptodataError, isMissing, messageOf, systemCode, usageError } from '../../core/errors.ts';
import { writePrivateFile } from '../../core/file.ts';
import { isRecord, type JsonRecord, jsonText, parseJson } from '../../core/json.ts';
import { cannotWrite } from '../../core/unwritable.ts';
import type { PayloadProblem } from '../../legacy/problems.ts';
import type { SourceRow } from '../../legacy/source.ts';

/** Whether the service accepted the posted transactions. */
export type PostOutcome = 'accepted' | 'refused' | 'unknown' | 'not sent';

/** The response from the service. If no response arrived, `status` and `body` are null. */
export interface Answer {
  readonly status: number | null;
  readonly body: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * A file with the request and the response, which only its owner can read. The receipt is written with the outcome `unknown`
 * before anything is sent, so that it is correct after the process is killed.
 */
export class Receipt {
  readonly path: string;
  readonly #sent: JsonRecord;

  private constructor(path: string, sent: JsonRecord) {
    this.path = path;
    this.#sent = sent;
  }

  /**
   * @param body the payload, in which every number keeps all its digits
   * @throws CryptodataError if the file exists or cannot be written
   */
  static async begin(
    path: string,
    { method, url, headers }: RequestPreview,
    body: unknown,
    now: number,
  ): Promise<Receipt> {
    await refuseExisting(path);
    // If two commands create the same receipt at the same time, the flag `wx` lets only one succeed.
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
  async finish(outcome: PostOutcome, answer: Answer): Promise<void> {
    const text = jsonText({ outcome, ...this.#sent, answer }, 2);
    await writePrivateFile(this.path, `${text}\n`);
  }
}

/** @throws CryptodataError if the receipt already exists, or if its folder is missing */
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
    `The receipt ${path} already exists`,
    'Use another file name in the same folder, so that the command can find repeated transactions in earlier receipts.',
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

/** A transaction from a receipt with the outcome `accepted` or `unknown`. */
interface Posted {
  readonly receipt: string;
  readonly outcome: string;
  readonly sentAt: string;
}

/** The first bytes of every receipt. A file that starts with other bytes is ignored. */
const START = '{\n  "outcome": "';

/**
 * Finds rows that may already have been posted: a receipt in the folder, for the same wallet and URL, contains their
 * transactionId. Receipts for other wallets are ignored, because both sides of a transfer may use the same on-chain hash as
 * their transactionId.
 *
 * @param isBegun true if the file `receipt` has already been created; this file is then not searched
 */
export async function postedBefore(
  receipt: string,
  url: string,
  walletId: string,
  rows: readonly SourceRow[],
  isBegun = false,
): Promise<PayloadProblem[]> {
  const known = new Map<string, Posted>();
  const folder = dirname(resolve(receipt));
  for (const name of (await namesIn(folder)).sort()) {
    const path = join(folder, name);
    if (!isBegun || path !== resolve(receipt)) await addPosted(path, url, walletId, known);
  }
  return rows.flatMap(({ row, line, value }): PayloadProblem[] => {
    const id = isRecord(value) ? value['transactionId'] : undefined;
    const posted = typeof id === 'string' ? known.get(id) : undefined;
    if (posted === undefined) return [];
    const { outcome, sentAt, receipt } = posted;
    const what = outcome === 'accepted' ? 'was posted' : 'may have been posted';
    const problem = `${what} to this wallet on ${sentAt}: ${receipt} (${outcome})`;
    const hint = 'Remove the row, or use --force to post it again.';
    return [{ row, line, field: 'transactionId', problem, hint }];
  });
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch (error) {
    // A missing folder contains no receipts. The command fails later, when it creates the new receipt, before anything is sent.
    if (isMissing(error)) return [];
    throw systemCode(error) === undefined ? error : unreadable(folder, error);
  }
}

/** Refuse to post if an earlier receipt cannot be read, because a transaction could be posted twice. */
function unreadable(path: string, error: unknown): CryptodataError {
  return usageError(
    `Cannot look for earlier receipts in ${path}: ${messageOf(error)}`,
    'Make the path readable, or choose another folder with --receipt.',
    'RECEIPTS_UNREADABLE',
  );
}

async function addPosted(path: string, url: string, walletId: string, known: Map<string, Posted>) {
  const receipt = await readReceipt(path);
  const { outcome, sentAt, request } = isRecord(receipt) ? receipt : {};
  if (outcome !== 'accepted' && outcome !== 'unknown') return;
  const { url: to, body } = isRecord(request) ? request : {};
  const { walletId: wallet, transactions } = isRecord(body) ? body : {};
  if (
    typeof to !== 'string' ||
    !URL.canParse(to) ||
    withoutQuery(to) !== withoutQuery(url) ||
    wallet !== walletId
  )
    return;
  for (const transaction of Array.isArray(transactions) ? transactions : []) {
    const id = isRecord(transaction) ? transaction['transactionId'] : undefined;
    if (typeof id === 'string') known.set(id, { receipt: path, outcome, sentAt: String(sentAt) });
  }
}

async function readReceipt(path: string): Promise<unknown> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(START.length), 0, START.length, 0);
      if (buffer.toString('utf8', 0, bytesRead) !== START) return undefined;
    } finally {
      await file.close();
    }
    return parseJson(await readFile(path, 'utf8'));
  } catch (error) {
    const code = systemCode(error);
    if (error instanceof SyntaxError || code === 'ENOENT') return undefined;
    throw code === undefined ? error : unreadable(path, error);
  }
}
