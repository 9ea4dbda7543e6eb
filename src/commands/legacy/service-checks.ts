import { resolveCredentials } from '../../auth/credentials.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import type { Context } from '../../context.ts';
import { CryptodataError, UsageError, unverifiedError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { didYouMean } from '../../core/nearest.ts';
import { showText } from '../../core/text.ts';
import type { Payload } from '../../legacy/check.ts';
import { type PayloadProblem, shown } from '../../legacy/problems.ts';
import type { SourceRow } from '../../legacy/source.ts';

/**
 * Checks the wallet and the labels of a payload against the service. A check that cannot run is reported as a warning.
 */
export async function checkAtService(
  context: Context,
  { walletId, transactions }: Payload,
  rows: readonly SourceRow[],
) {
  const labels = [...new Set(transactions.map(({ label }) => label))].filter((label) => label !== undefined);
  const wallets = await attempt('wallet', async () => {
    const { kind } = await resolveCredentials(await context.auth());
    if (kind !== 'api-key') throw new UsageError('NEEDS_API_KEY', 'no API key is set');
    const client = await context.client();
    const found: string[] = [];
    let rows = 0;
    for await (const row of client.legacy.integrations({}, { signal: context.signal }).asServed()) {
      rows += 1;
      if (isRecord(row) && typeof row['walletId'] === 'string') found.push(row['walletId']);
    }
    if (found.length > 0 || rows === 0) return found;
    throw unverifiedError('the service lists no wallet ids');
  });
  const known =
    labels.length === 0
      ? undefined
      : await attempt('label', async () => {
          const client = await context.client();
          const found = new Set<string>();
          for await (const row of client.labels.list({}, { signal: context.signal }).asServed())
            collectTexts(row, found);
          if (found.size > 0) return [...found];
          throw unverifiedError('the service lists no labels');
        });
  const checks = [wallets, known].filter((check) => check !== undefined);
  return {
    notes: checks.flatMap(({ note }) => (note === undefined ? [] : [note])),
    problems: [
      ...walletProblems(walletId, wallets.found),
      ...(known?.found ? labelProblems(rows, transactions, known.found) : []),
    ],
  };
}

async function attempt(
  what: string,
  read: () => Promise<readonly string[]>,
): Promise<{ found?: readonly string[]; note?: Note }> {
  try {
    return { found: await read() };
  } catch (error) {
    if (!(error instanceof CryptodataError) || error.kind === 'interrupted') throw error;
    return { note: warning(showText(`The ${what} was not checked: ${error.message}.`)) };
  }
}

/** Collects every string in a record, because the specification does not define which field contains the label. */
function collectTexts(value: unknown, found: Set<string>): void {
  if (typeof value === 'string') found.add(value);
  else if (isRecord(value))
    for (const member of Object.values(value)) if (typeof member === 'string') found.add(member);
}

function walletProblems(walletId: string, found: readonly string[] | undefined): PayloadProblem[] {
  if (found === undefined || found.includes(walletId)) return [];
  const hint = didYouMean(walletId, found, 'List the ids: cryptodata legacy integrations.');
  return [
    { row: null, field: 'walletId', problem: `is not a wallet in this account: ${shown(walletId)}`, hint },
  ];
}

function labelProblems(
  rows: readonly SourceRow[],
  transactions: Payload['transactions'],
  found: readonly string[],
): PayloadProblem[] {
  return transactions.flatMap(({ label }, index): PayloadProblem[] => {
    if (typeof label !== 'string' || found.includes(label)) return [];
    const hint = didYouMean(label, found, 'List the labels: cryptodata labels.');
    const { row = index + 1, line } = rows[index] ?? {};
    return [{ row, line, field: 'label', problem: `is not a label in the service: ${shown(label)}`, hint }];
  });
}
