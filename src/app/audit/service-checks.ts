import { accountId } from '../../api/integrations.ts';
import { textOf } from '../../api/ledgers.ts';
import { droppedRecords } from '../../api/syncs.ts';
import { presetNames, type TransactionPreset, transactionPresets } from '../../api/transactions.ts';
import { checksAbout } from '../../books/audit/checks/index.ts';
import type { ServiceData } from '../../books/audit/service-data.ts';
import type { Context } from '../../context.ts';
import { isRecord, type JsonRecord } from '../../core/json.ts';
import type { Mirror } from '../../mirror/open.ts';
import { isRefusal } from '../accounts.ts';
import { outage } from '../health.ts';
import { latestSyncs } from '../latest-syncs.ts';
import { NO_SPAM, type SpamAssets, spamIn, spamLimitOf } from './spam.ts';

/** Data for an audit, other than legs. */
export interface BesideLegs {
  readonly data: ServiceData;
  readonly spamAssets: SpamAssets;
  /** A sentence that says why `spamAssets` may be incomplete. */
  readonly spamLimit: string | undefined;
}

const SPAM_NOT_IN_FILE =
  'A file does not record which assets are spam, so findings on spam assets are included.';

/** Says which checks cannot run on a file or a mirror, and why. Reads the accounts and the spam assets from the mirror. */
export async function checksWithoutService(mirror: Mirror | undefined): Promise<BesideLegs> {
  const why = mirror
    ? 'This check needs the service. Run the audit without --mirror.'
    : 'The file contains only legs. Run the audit without --file.';
  return {
    data: {
      integrations: mirror && (await accountsIn(mirror)),
      whyNot: Object.fromEntries(checksAbout('accounts', 'transactions').map((name) => [name, why])),
    },
    spamAssets: mirror ? await spamIn(mirror.snapshot('spam')) : NO_SPAM,
    spamLimit: mirror ? spamLimitOf(mirror) : SPAM_NOT_IN_FILE,
  };
}

/** Returns the accounts in the mirror; undefined if the mirror has no verified list of accounts. */
async function accountsIn(mirror: Mirror): Promise<JsonRecord[] | undefined> {
  if (!mirror.manifest.snapshots.integrations?.verified) return undefined;
  const accounts: JsonRecord[] = [];
  for await (const record of mirror.snapshot('integrations')) accounts.push(record);
  return accounts;
}

/**
 * Reads the lists that the audit needs in addition to the legs. If a list cannot be read, the checks that need the list do not
 * run.
 *
 * @param minTotalGains minimum total gains for the check high-pnl, as a decimal string
 * @param scopeFlags the flags with which a suggested audit has the same scope
 */
export async function serviceData(
  context: Context,
  minTotalGains: string | undefined,
  scopeFlags: string,
): Promise<BesideLegs> {
  const whyNot: Record<string, string> = {};
  const client = await context.client();
  const { signal } = context;
  const attempt = async <T>(work: () => Promise<T>, refused: (why: string) => T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return refused(`The service did not answer the request: ${error.message}`);
    }
  };
  const accounts = async (): Promise<ServiceData> => {
    const integrations: JsonRecord[] = [];
    for await (const record of client.integrations.list({}, { signal }).asServed()) {
      if (isRecord(record)) integrations.push(record);
    }
    const { byAccount, older, unknown, unknownIds } = await latestSyncs(client, integrations, signal);
    // Also report the records that older syncs dropped, because the service does not confirm that a newer sync has read them.
    const known = older.map(({ account, sync }) => [accountId(account) ?? '', sync] as const);
    const syncs = new Map([...byAccount, ...known.filter(([, sync]) => droppedRecords(sync))]);
    const withoutId = Math.max(0, older.length + unknown - unknownIds.length);
    const unknownSyncs = [...unknownIds, ...Array<null>(withoutId).fill(null)];
    return { integrations, syncs, unknownSyncs };
  };
  const providers = async (): Promise<ServiceData> => {
    const unhealthyProviders = new Map<string, string>();
    for await (const record of client.providers.list({}, { signal }).asServed()) {
      const health = isRecord(record) ? healthOf(record) : undefined;
      if (isRecord(record) && health) unhealthyProviders.set(textOf(record['id']), health);
    }
    return { unhealthyProviders };
  };
  const preset = async (
    name: TransactionPreset,
  ): Promise<readonly [TransactionPreset, number | undefined]> => {
    if (name === 'high-pnl' && minTotalGains === undefined) {
      whyNot[name] =
        `The minimum total gains are not set. To run this check: cryptodata audit --min-total-gains 1000${scopeFlags}.`;
      return [name, undefined];
    }
    const gains = name === 'high-pnl' ? { minTotalGains } : {};
    const { total } = await client.transactions
      .list({ ...transactionPresets[name], ...gains, limit: 1 }, { signal })
      .asServed()
      .page();
    if (total === undefined) whyNot[name] = 'The service returned no total.';
    return [name, total];
  };
  const [spam, sources, health, ...counts] = await Promise.all([
    readSpam(context),
    attempt(accounts, (why) => {
      for (const name of checksAbout('accounts')) whyNot[name] = why;
      return {};
    }),
    // The accounts can be checked without the state of their providers.
    attempt(providers, (unknownHealth) => ({ unknownHealth })),
    ...presetNames.map((name) =>
      attempt(
        () => preset(name),
        (why): readonly [TransactionPreset, undefined] => {
          whyNot[name] = why;
          return [name, undefined];
        },
      ),
    ),
  ]);
  const presets = Object.fromEntries(counts.filter(([, number]) => number !== undefined));
  return { data: { ...sources, ...health, presets, minTotalGains, whyNot }, ...spam };
}

async function readSpam(context: Context): Promise<Omit<BesideLegs, 'data'>> {
  const client = await context.client();
  try {
    const records = client.spam.list({}, { signal: context.signal }).asServed();
    return { spamAssets: await spamIn(records), spamLimit: undefined };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const why = `The spam assets are unknown, so findings on spam assets are included. The service did not answer the request: ${error.message}`;
    return { spamAssets: NO_SPAM, spamLimit: why };
  }
}

/** Describes the outage of a provider; undefined if the provider works. */
function healthOf(provider: JsonRecord): string | undefined {
  const state = outage(provider);
  if (state === 'full outage') return 'down (full outage)';
  if (state === 'partial outage') return 'degraded (partial outage)';
  return provider['isWorking'] === false ? 'reported as degraded or down' : undefined;
}
