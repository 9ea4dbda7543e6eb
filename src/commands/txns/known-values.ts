import { textOf } from '../../api/ledgers.ts';
import type { Client } from '../../client/client.ts';
import type { TransactionFilters } from '../../client/nouns.ts';
import type { Context } from '../../context.ts';
import { type CryptodataError, usageError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { type Named, nearMatches, showNamed } from '../../core/nearest.ts';
import { once } from '../../core/once.ts';
import { showText } from '../../core/text.ts';
import { Accounts, isRefusal } from '../accounts.ts';
import { newestLegs } from '../ledgers/seen.ts';

/** The types and labels that the specification mentions. The service may have others. */
const TYPES = ['deposit', 'withdrawal', 'trade', 'payment'];
const LABELS = ['Deposit', 'Withdrawal'];

/**
 * Checks that each filter value occurs in a transaction. A misspelt value would make the list empty or incomplete. If a value
 * to exclude were misspelt, nothing would be excluded. An unknown value causes a warning, because the specification does not
 * list all values.
 *
 * @param given the values from flags, without the values of a preset
 * @throws usage error `UNKNOWN_VALUE` if a value is a likely typo, or if an excluded account does not exist
 */
export async function checkTransactionValues(
  context: Context,
  { types = [], labels = [], notLabels = [], notWalletIds = [] }: TransactionFilters,
): Promise<void> {
  // With --curl, the user wants to see only the list request.
  if (context.curl) return;
  const client = await context.client();
  const knownLabels = once(() => labelsOf(client, context.signal));
  const check = async (name: 'types' | 'labels', value: string, consequence = '') => {
    const filters: TransactionFilters = { [name]: [value], limit: 1 };
    const { rows } = await client.transactions.list(filters, { signal: context.signal }).asServed().page();
    if (rows.length > 0) return;
    const candidates = name === 'types' ? TYPES.map(named) : await knownLabels();
    if (candidates.some((candidate) => candidate.value === value)) return;
    const near = nearMatches(value, candidates);
    const message = `No transaction has the ${name.slice(0, -1)} ${showText(value)}`;
    if (near.length > 0) throw unknownValue(message, near);
    context.say(`warning: ${message}${consequence}.`);
  };
  for (const type of types) await check('types', type);
  for (const label of labels) await check('labels', label);
  for (const label of notLabels) await check('labels', label, ', so --not-labels excludes nothing');
  if (notWalletIds.length > 0) await checkWallets(context, client, notWalletIds);
}

/** Reads the labels in use. The fields of label records are undocumented, so every string in a record may be a label. */
async function labelsOf(client: Client, signal: AbortSignal): Promise<Named[]> {
  const found = new Set(LABELS);
  try {
    for await (const record of client.labels.list({}, { signal }).asServed()) {
      for (const value of isRecord(record) ? Object.values(record) : [record]) found.add(textOf(value));
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  for (const { label } of (await newestLegs(client, signal)).legs) found.add(textOf(label));
  found.delete('');
  return [...found].map(named);
}

/** Looks for each id in the accounts and in the legs, because legs of disconnected accounts still exist. */
async function checkWallets(context: Context, client: Client, given: readonly string[]): Promise<void> {
  const { all, refusal } = await Accounts.read(context);
  const missing = given.filter((id) => !all.some(({ walletId }) => walletId === id));
  if (refusal || missing.length === 0) return;
  const { legs, complete, partial } = await newestLegs(client, context.signal);
  const id = missing.find((id) => !legs.some(({ walletId }) => walletId === id));
  if (id === undefined) return;
  const near = nearMatches(
    id,
    all.map(({ walletId, name, alias }) => ({ value: walletId, names: [name, alias] })),
  );
  const message = `No account has the id ${showText(id)}`;
  if (complete || near.length > 0) throw unknownValue(message, near);
  context.say(`warning: ${message}.${partial}`);
}

function unknownValue(message: string, near: readonly Named[]): CryptodataError {
  const hint =
    near.length === 0
      ? 'List the accounts with: cryptodata integrations'
      : `Did you mean ${near.map(showNamed).join(' or ')}?`;
  return usageError(message, hint, 'UNKNOWN_VALUE');
}

function named(value: string): Named {
  return { value, names: [] };
}
