import { accountId } from '../../api/integrations.ts';
import { textOf } from '../../api/ledgers.ts';
import { droppedRecords } from '../../api/syncs.ts';
import { presetNames, type TransactionPreset, transactionPresets } from '../../api/transactions.ts';
import type { CheckName, Draft } from '../../books/audit/finding.ts';
import { sourceDrafts } from '../../books/audit/sources.ts';
import type { Context } from '../../context.ts';
import type { CryptodataError } from '../../core/errors.ts';
import { isRecord, type JsonRecord } from '../../core/json.ts';
import { plural } from '../../core/text.ts';
import type { Mirror } from '../../mirror/open.ts';
import { countAccounts, isRefusal } from '../accounts.ts';
import { outage } from '../providers/health.ts';
import { latestSyncs } from '../sync/latest.ts';
import { NO_SPAM, type SpamAssets, spamIn, spamLimitOf } from './spam.ts';

/** Results of the checks that need data other than legs, and the spam assets. */
export interface ServiceChecks {
  readonly drafts: readonly Draft[];
  readonly notPossible: Readonly<Partial<Record<CheckName, string>>>;
  readonly spamAssets: SpamAssets;
  /** Why `spamAssets` may be incomplete, as a sentence. */
  readonly spamLimit: string | undefined;
}

/** Marks the checks that cannot run on a file or a mirror. A mirror contains the list of spam assets. */
export async function checksWithoutService(mirror: Mirror | undefined): Promise<ServiceChecks> {
  const names = ['failing-source', 'stale-source', ...presetNames] as const;
  const why = mirror
    ? 'This check needs the service. Run the audit without --mirror.'
    : 'The file contains only legs. Run the audit without --file.';
  return {
    drafts: [],
    notPossible: Object.fromEntries(names.map((name) => [name, why])),
    spamAssets: mirror ? await spamIn(mirror.snapshot('spam')) : NO_SPAM,
    spamLimit: mirror && spamLimitOf(mirror),
  };
}

/**
 * @param until end of the period, in Unix milliseconds
 * @param minTotalGains minimum total gains for the check high-pnl, as a decimal string
 */
export async function checksOfService(
  context: Context,
  until: number,
  minTotalGains: string | undefined,
): Promise<ServiceChecks> {
  const notPossible: Partial<Record<CheckName, string>> = {};
  const drafts: Draft[] = [];
  const client = await context.client();
  const accounts = async () => {
    const integrations: JsonRecord[] = [];
    for await (const record of client.integrations.list({}, { signal: context.signal }).asServed()) {
      if (isRecord(record)) integrations.push(record);
    }
    const { byAccount, older } = await latestSyncs(client, integrations, context.signal);
    // Also report the records that older syncs dropped, because the service does not confirm that a newer sync has read them.
    const known = older.map(({ account, sync }) => [accountId(account) ?? '', sync] as const);
    const syncs = new Map([...byAccount, ...known.filter(([, sync]) => droppedRecords(sync))]);
    const unhealthyProviders = new Map<string, string>();
    await attempt(['failing-source'], async () => {
      for await (const record of client.providers.list({}, { signal: context.signal }).asServed()) {
        const health = isRecord(record) ? healthOf(record) : undefined;
        if (isRecord(record) && health) unhealthyProviders.set(textOf(record['id']), health);
      }
    });
    const undated = integrations.filter(
      ({ type, lastSyncedAt }) => type !== 'csv' && typeof lastSyncedAt !== 'number',
    ).length;
    if (undated > 0) notPossible['stale-source'] = `The last sync of ${countAccounts(undated)} is unknown.`;
    drafts.push(...sourceDrafts({ integrations, syncs, unhealthyProviders }, until));
  };
  const preset = async (name: TransactionPreset) => {
    if (name === 'high-pnl' && minTotalGains === undefined) {
      notPossible[name] = 'Set the minimum total gains, for example: --min-total-gains 1000.';
      return;
    }
    const gains = name === 'high-pnl' ? { minTotalGains } : {};
    const { total } = await client.transactions
      .list({ ...transactionPresets[name], ...gains, limit: 1 }, { signal: context.signal })
      .asServed()
      .page();
    if (total === undefined) notPossible[name] = 'The service returned no total.';
    else if (total > 0) drafts.push(presetDraft(name, total, minTotalGains));
  };
  const spam = async () => {
    try {
      const spamAssets = await spamIn(client.spam.list({}, { signal: context.signal }).asServed());
      return { spamAssets, spamLimit: undefined };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const why = `The spam assets are unknown, so findings on spam assets are included. ${reasonOf(error)}`;
      return { spamAssets: NO_SPAM, spamLimit: why };
    }
  };
  const attempt = async (names: readonly CheckName[], work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      for (const name of names) notPossible[name] = reasonOf(error);
    }
  };
  const [known] = await Promise.all([
    spam(),
    attempt(['failing-source', 'stale-source'], accounts),
    ...presetNames.map((name) => attempt([name], () => preset(name))),
  ]);
  return { drafts, notPossible, ...known };
}

function reasonOf(error: CryptodataError): string {
  return `The service rejected the request: ${error.message}`;
}

/** Describes the outage of a provider; undefined if the provider works. */
function healthOf(provider: JsonRecord): string | undefined {
  const state = outage(provider);
  if (state === 'full outage') return 'down (full outage)';
  if (state === 'partial outage') return 'degraded (partial outage)';
  return provider['isWorking'] === false ? 'reported as degraded or down' : undefined;
}

function presetDraft(name: TransactionPreset, total: number, minTotalGains: string | undefined): Draft {
  const what = {
    uncategorized: 'without a category',
    'high-pnl': `that nobody has reviewed and that have total gains of at least ${minTotalGains} each`,
    'missing-purchases': 'with a missing purchase',
    'missing-prices': 'with a missing price',
  }[name];
  const gains = name === 'high-pnl' ? ` --min-total-gains ${minTotalGains}` : '';
  return {
    check: name,
    severity: 'warning',
    key: [],
    inPeriod: true,
    message: `The service counts ${plural(total, 'transaction', 'transactions')} ${what}, over all periods.`,
    next: `cryptodata txns --preset ${name}${gains} --all`,
  };
}
