import { open, readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { systemCode } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import type { Problem, SourceRow } from '../../legacy/problems.ts';

/** A transaction of a receipt that the service has accepted, or may have accepted. */
interface Posted {
  readonly receipt: string;
  readonly outcome: string;
  readonly sentAt: string;
}

/** How a receipt begins: other files of the folder are not read. */
const BEGINS = '{\n  "outcome": "';

/**
 * Transactions that another receipt in the folder of the new one knows, by their ids. Only the same wallet at the same
 * address counts: both sides of a transfer share an on-chain hash.
 *
 * @param isBegun whether the new receipt exists already, and does not count
 */
export async function postedBefore(
  receipt: string,
  url: string,
  walletId: string,
  rows: readonly SourceRow[],
  isBegun = false,
): Promise<Problem[]> {
  const known = new Map<string, Posted>();
  const folder = dirname(resolve(receipt));
  for (const name of (await namesIn(folder)).sort()) {
    const path = join(folder, name);
    if (!isBegun || path !== resolve(receipt)) await addPosted(path, url, walletId, known);
  }
  return rows.flatMap(({ row, line, value }): Problem[] => {
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
    // The receipt itself cannot be written there either, which is reported before anything is sent.
    if (systemCode(error) !== undefined) return [];
    throw error;
  }
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

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

async function readReceipt(path: string): Promise<unknown> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINS.length), 0, BEGINS.length, 0);
      if (buffer.toString('utf8', 0, bytesRead) !== BEGINS) return undefined;
    } finally {
      await file.close();
    }
    return parseJson(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}
