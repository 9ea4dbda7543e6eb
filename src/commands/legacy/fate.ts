import { ServiceError } from '../../client/errors.ts';
import { CryptodataError, systemCode } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { iso } from '../../legacy/moments.ts';
import type { Problem, SourceRow } from '../../legacy/problems.ts';
import type { Summary } from '../../legacy/summary.ts';
import type { Fate } from './receipt.ts';

/** Errors before any byte of a request left. */
const BEFORE_SENDING = new Set([
  'NAME_NOT_FOUND',
  'NAME_LOOKUP_FAILED',
  'CONNECTION_REFUSED',
  'PROXY_FAILED',
]);

/** The service accepted the request, and its response could not be read. */
const UNREAD = new Set(['BAD_ANSWER', 'NESTED_TOO_DEEPLY', 'ANSWER_TOO_LARGE']);

/** What an error says of a request that must not be sent twice. */
export function fateOf(error: CryptodataError): Fate {
  if (error.kind === 'usage') return 'not sent';
  // An error after 2xx is one of reading the answer.
  if (error.status !== undefined && error.status >= 300) {
    return error.status >= 500 || error.status === 408 ? 'unknown' : 'refused';
  }
  if (error.status !== undefined) return UNREAD.has(error.code) ? 'unknown' : 'refused';
  if (BEFORE_SENDING.has(error.code)) return 'not sent';
  // A certificate that is not trusted ends the handshake; EPROTO may come later.
  const handshake = error.code === 'TLS_FAILED' && systemCode(error.cause) !== 'EPROTO';
  return handshake ? 'not sent' : 'unknown';
}

/** The error again, with what it means for a batch of transactions and a way on. */
export function explained(error: CryptodataError, fate: Fate, summary: Summary): CryptodataError {
  const { kind, code, status, details } = error;
  const parts = { status, details, cause: error };
  if (fate === 'unknown') {
    const span = `${iso(summary.first)} to ${iso(summary.last)}`;
    return new CryptodataError(
      kind,
      code,
      `${error.message}. It is not known whether the service took the transactions; they were not sent again`,
      {
        ...parts,
        hint: `Look before you post them again: cryptodata txns list --all --json, for their transactionId, or for dates from ${span}; or cryptodata api GET /api/v0/transactions --legacy. What the service does with a transactionId that it has already is not specified.`,
      },
    );
  }
  if (fate === 'not sent') {
    return new CryptodataError(kind, code, `${error.message}. Nothing was sent`, {
      ...parts,
      hint: error.hint,
    });
  }
  return new CryptodataError(kind, code, error.message, { ...parts, hint: wayOn(error) });
}

const KEY =
  'The key is missing, wrong, expired, or lacks the permission write:transactions: look at it in the account settings of the service. It is sent as X-API-Key from CRYPTODATA_API_KEY.';
const WALLET =
  'That wallet is not in the account of the key: cryptodata legacy integrations shows the ids that it has.';
const LABEL =
  'A label must be one that the service supports, written exactly so, and fit the transactionType: cryptodata labels shows them.';
const FIX = 'Correct what is named, and post the file again.';

/** "Legacy error body": its causes, by status, by the path of each detail, and by the service's own word for it. */
function wayOn(error: CryptodataError): string | undefined {
  const { status, kind, details } = error;
  if (status === 401 || status === 403) return KEY;
  if (status === 429) return error.hint;
  const fields = detailsOf(details).map(({ path }) => String(path.at(-1) ?? ''));
  const word = wordOf(error);
  const hints = [
    ...(word === 'unauthorized' ? [KEY] : []),
    ...(status === 404 || fields.includes('walletId') || word === 'wallet_not_found' ? [WALLET] : []),
    ...(fields.includes('label') || word === 'invalid_label' ? [LABEL] : []),
  ];
  if (hints.length > 0) return hints.join(' ');
  return kind === 'rejected' ? FIX : error.hint;
}

/** The service's word for the cause, however it writes it: `wallet not found`, `WALLET_NOT_FOUND`. */
function wordOf(error: CryptodataError): string {
  const body = error instanceof ServiceError && isRecord(error.body) ? error.body : {};
  const { error: said } = body;
  const word = typeof said === 'string' ? said : error.code;
  return word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

interface Detail {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** `details: [ { path, message } ]`; a path may also come as a text. */
function detailsOf(details: unknown): readonly Detail[] {
  if (!Array.isArray(details)) return [];
  return details.filter(isRecord).map(({ path, message, code }) => ({
    path: Array.isArray(path)
      ? path.map((part) => (typeof part === 'number' ? part : String(part)))
      : String(path ?? '')
          .split(/[.[\]/]+/)
          .filter((part) => part !== ''),
    message: String(message ?? code ?? 'is refused'),
  }));
}

/** What the service complains of, by row and field of the file that was sent. */
export function complaints(details: unknown, rows: readonly SourceRow[]): Problem[] {
  return detailsOf(details).map(({ path, message }): Problem => {
    const inList = path[0] === 'transactions' ? path.slice(1) : path;
    const index = /^\d+$/.test(String(inList[0] ?? '')) ? Number(inList[0]) : undefined;
    const source = index === undefined ? undefined : rows[index];
    if (source === undefined) return { row: null, field: path.join('.'), problem: message };
    return { row: source.row, line: source.line, field: inList.slice(1).join('.'), problem: message };
  });
}
