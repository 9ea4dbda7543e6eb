import { usageError } from '../core/errors.ts';
import { isRecord } from '../core/json.ts';
import { parseStrict } from '../core/strict-json.ts';
import { hintFor } from './fields.ts';
import { type Problem, type Source, shown } from './problems.ts';

const PAYLOAD = ['walletId', 'transactions'];

/** The payload `{ walletId, transactions }`, or the list of transactions alone. */
export function readJsonSource(text: string, name: string): Source {
  const value = parseStrict(text, name);
  if (Array.isArray(value)) return { format: 'json', rows: asRows(value), problems: [] };
  const body = isRecord(value) ? value : undefined;
  const transactions = body?.['transactions'];
  if (body === undefined || !Array.isArray(transactions)) {
    throw usageError(
      `${name} holds no transactions: it is ${shown(value)}${body ? ` with ${Object.keys(body).slice(0, 10).join(', ') || 'nothing in it'}` : ''}`,
      'It must be { "walletId": …, "transactions": [ … ] }, or the list of transactions alone.',
      'NO_TRANSACTIONS',
    );
  }
  const problems = Object.keys(body)
    .filter((field) => !PAYLOAD.includes(field))
    .map(
      (field): Problem => ({
        row: null,
        field,
        problem: 'is no field here',
        hint: hintFor(field, PAYLOAD),
      }),
    );
  const walletId = 'walletId' in body ? { walletId: body['walletId'] } : {};
  return { format: 'json', ...walletId, rows: asRows(transactions), problems };
}

function asRows(values: readonly unknown[]) {
  return values.map((value, index) => ({ row: index + 1, value }));
}
