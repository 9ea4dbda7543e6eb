import { type CryptodataError, createError, ServiceError, systemCode } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import type { Summary } from '../../legacy/check.ts';
import type { PayloadProblem } from '../../legacy/problems.ts';
import type { SourceRow } from '../../legacy/source.ts';
import { iso } from '../../legacy/values.ts';
import type { PostOutcome } from './receipt.ts';

/** Codes of errors that occur before the request is sent. */
const BEFORE_SENDING = new Set([
  'NAME_NOT_FOUND',
  'NAME_LOOKUP_FAILED',
  'CONNECTION_REFUSED',
  'PROXY_FAILED',
]);

/** Codes of errors for an unreadable response. The service may have accepted the request. */
const UNREADABLE = new Set(['BAD_ANSWER', 'NESTED_TOO_DEEPLY', 'ANSWER_TOO_LARGE']);

/** Classifies an error: the transactions were refused, were not sent, or may have been accepted. */
export function outcomeOf(error: CryptodataError): PostOutcome {
  if (error.kind === 'usage') return 'not sent';
  if (error.status !== undefined && error.status >= 300) {
    return error.status >= 500 || error.status === 408 ? 'unknown' : 'refused';
  }
  // The status is 2xx, so the body either was unreadable or reported an error.
  if (error.status !== undefined) return UNREADABLE.has(error.code) ? 'unknown' : 'refused';
  if (BEFORE_SENDING.has(error.code)) return 'not sent';
  // If the certificate is untrusted, the handshake fails before anything is sent. EPROTO may also occur after the handshake.
  const handshake = error.code === 'TLS_FAILED' && systemCode(error.cause) !== 'EPROTO';
  return handshake ? 'not sent' : 'unknown';
}

/** Adds a hint to the error, and extends the message if nothing was sent or the outcome is unknown. */
export function explainError(
  error: CryptodataError,
  outcome: PostOutcome,
  summary: Summary,
): CryptodataError {
  const { kind, code, status, details } = error;
  const parts = { status, details, cause: error };
  if (outcome === 'unknown') {
    const span = `${iso(summary.first)} to ${iso(summary.last)}`;
    return createError(
      kind,
      code,
      `${error.message}. It is unknown whether the service accepted the transactions; they were not sent again`,
      {
        ...parts,
        hint: `Before you post the transactions again, check whether the service has them. To list the service's transactions, run "cryptodata txns list --all --json" or "cryptodata api GET /api/v0/transactions --legacy". Search the list for each transactionId, or for dates from ${span}. The specification does not define how the service treats a repeated transactionId.`,
      },
    );
  }
  if (outcome === 'not sent') {
    return createError(kind, code, `${error.message}. Nothing was sent`, {
      ...parts,
      hint: error.hint,
    });
  }
  return createError(kind, code, error.message, { ...parts, hint: hintFor(error) });
}

const KEY =
  'The API key (sent as X-API-Key) is wrong or expired, or it lacks the permission write:transactions. Check the key in the account settings of the service.';
const WALLET =
  'This wallet does not belong to the account of the API key. List the wallets with: cryptodata legacy integrations';
const LABEL =
  'A label must be valid for the transactionType, and spelled exactly as in the service. List the supported labels with: cryptodata labels';
const FIX = 'Correct the fields in the error, then post the file again.';

/** The hint depends on the status, the fields in the details, and the error code ("Legacy error body" in the specification). */
function hintFor(error: CryptodataError): string | undefined {
  const { status, kind, details } = error;
  if (status === 401 || status === 403) return KEY;
  if (status === 429) return error.hint;
  const fields = detailsOf(details).map(({ path }) => String(path.at(-1) ?? ''));
  const word = codeOf(error);
  const hints = [
    ...(word === 'unauthorized' ? [KEY] : []),
    ...(status === 404 || fields.includes('walletId') || word === 'wallet_not_found' ? [WALLET] : []),
    ...(fields.includes('label') || word === 'invalid_label' ? [LABEL] : []),
  ];
  if (hints.length > 0) return hints.join(' ');
  return kind === 'rejected' ? FIX : error.hint;
}

/** Normalizes the service's error code, so that `wallet not found` and `WALLET_NOT_FOUND` are equal. */
function codeOf(error: CryptodataError): string {
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

/** Reads `details: [ { path, message } ]`, in which `path` is a list or a string. */
function detailsOf(details: unknown): readonly Detail[] {
  if (!Array.isArray(details)) return [];
  return details.filter(isRecord).map(({ path, message, code }) => ({
    path: Array.isArray(path)
      ? path.map((part) => (typeof part === 'number' ? part : String(part)))
      : String(path ?? '')
          .split(/[.[\]/]+/)
          .filter((part) => part !== ''),
    message: String(message ?? code ?? 'is rejected'),
  }));
}

/** Converts the details of a service error to problems in the file. If a detail refers to no row of the file, `row` is null. */
export function problemsIn(details: unknown, rows: readonly SourceRow[]): PayloadProblem[] {
  return detailsOf(details).map(({ path, message }): PayloadProblem => {
    const inList = path[0] === 'transactions' ? path.slice(1) : path;
    const index = /^\d+$/.test(String(inList[0] ?? '')) ? Number(inList[0]) : undefined;
    const source = index === undefined ? undefined : rows[index];
    if (source === undefined) return { row: null, field: path.join('.'), problem: message };
    return { row: source.row, line: source.line, field: inList.slice(1).join('.'), problem: message };
  });
}
