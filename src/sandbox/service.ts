// The data service of one workspace, with the stores and routes of all resources.

import type { FastifyInstance } from 'fastify';
import { type Edits, readSavedEdits } from './books/edits.ts';
import { createLedgers } from './books/index.ts';
import type { LedgerTruth } from './books/truth.ts';
import type { SandboxTime } from './core/clock.ts';
import { createIds } from './core/ids.ts';
import { type Saved, shape } from './core/readers.ts';
import { exampleRecords } from './data/example.ts';
import { type Resources, readResources } from './data/resources.ts';
import type { Emit } from './events/index.ts';
import type { EmittedKind } from './events/kinds.ts';
import type { Access } from './http/auth.ts';
import { routeCsv } from './nouns/csv/routes.ts';
import { routeDefi } from './nouns/defi/routes.ts';
import { buildDefi, totalDefiValue } from './nouns/defi/store.ts';
import { totalValue } from './nouns/holdings/format.ts';
import { routeHoldings } from './nouns/holdings/routes.ts';
import { buildHoldings } from './nouns/holdings/store.ts';
import { accountsOfGiven, buildAccounts, WALLET_STATUSES, withGiven } from './nouns/integrations/accounts.ts';
import { exampleEventData } from './nouns/integrations/entities.ts';
import { routeIntegrationControl, routeIntegrations } from './nouns/integrations/routes.ts';
import { createIntegrationStore, readSavedIntegrations } from './nouns/integrations/store.ts';
import { postingLabels } from './nouns/labels/store.ts';
import { routeLedgerControl, routeLedgers } from './nouns/ledgers/routes.ts';
import { routeLists } from './nouns/lists/routes.ts';
import { routeNfts } from './nouns/nfts/routes.ts';
import { buildNfts } from './nouns/nfts/store.ts';
import { routePeriodControl } from './nouns/period/routes.ts';
import { createPeriod } from './nouns/period/store.ts';
import type { Posted } from './nouns/posted/query.ts';
import { routePosted } from './nouns/posted/routes.ts';
import { routeProviders } from './nouns/providers/routes.ts';
import { createProviderStore } from './nouns/providers/store.ts';
import { routeRunsControl } from './nouns/runs/routes.ts';
import { createRuns, readSavedRuns } from './nouns/runs/store.ts';
import { agreeSyncs } from './nouns/syncs/agree.ts';
import { routeSyncControl, routeSyncs } from './nouns/syncs/routes.ts';
import { createSyncStore, readSavedSyncs } from './nouns/syncs/store.ts';
import { createConverts } from './nouns/transactions/batch.ts';
import { createTransactionJson } from './nouns/transactions/format.ts';
import { routeTransactions } from './nouns/transactions/routes.ts';
import { createTransactionStore } from './nouns/transactions/store.ts';
import { routeUsers } from './nouns/users/routes.ts';
import type { SandboxSettings } from './options.ts';

/** Facts about the data, determined independently of the routes. */
export interface DataTruth extends LedgerTruth {
  /** Number of providers in the catalogue. */
  readonly providers: number;
  /** Number of tokens with a positive balance at the end of the books. */
  readonly holdings: number;
  /** Decimal string. */
  readonly holdingsValue: string;
  /** Number of accounts that are connected at the start, including the manual account. */
  readonly integrations: number;
  /** Number of NFT holdings in the legacy API. */
  readonly nftHoldings: number;
  readonly defiHoldings: number;
  readonly defiValue: number;
  /** Returns the payloads that POST /api/v0/transactions has accepted since the start or the last reset. */
  posted(): readonly Posted[];
}

export type WorkspaceService = ReturnType<typeof createService>;

const { count, listOf, nullable, number, object, record, text } = shape;

/** Reads the changes to a workspace since the start of the sandbox. */
export const readSavedService = object({
  ledgers: readSavedEdits,
  /**
   * Number of ledger pages served so far. If `ties` is `unstable`, this number determines the order of rows with equal sort
   * keys.
   */
  pages: count,
  posted: listOf(object({ walletId: text, transactions: listOf(record) })),
  lockedUntil: nullable(number),
  integrations: readSavedIntegrations,
  syncs: readSavedSyncs,
  runs: readSavedRuns,
});
export type SavedService = Saved<typeof readSavedService>;

export function createService(
  settings: SandboxSettings,
  movable: SandboxTime,
  tell: Emit,
  workspaceId: string,
) {
  const clock = movable.now;
  const { pace, seed } = settings;
  const period = createPeriod(settings.lockedUntil);
  const example = settings.data === 'example';
  const given: Resources = settings.data === 'example' ? new Map() : readResources(settings.data);
  const providers = createProviderStore();
  const ledgers = createLedgers({
    ...settings,
    ...{ workspaceId, clock, given: given.get('ledgers')?.values },
    account: (id) => integrations.list().find(({ walletId }) => walletId === id),
  });
  const { generated: books, book, legs, json, catalogue, walletIds } = ledgers;
  const transactions = createTransactionStore(ledgers);
  const transactionJson = createTransactionJson(ledgers, json, settings.legShape);
  const { written } = book;
  const holdings =
    books === undefined ? [] : buildHoldings(books, legs().countBy(written.asset, catalogue.assets.length));
  const countByWallet = book.derive((columns) => legs().countBy(columns.wallet, catalogue.wallets.length));
  const counts = countByWallet();
  const agreed = agreeSyncs(written, books === undefined ? [] : WALLET_STATUSES, ledgers.listsSyncs);
  const sources = { counts, walletId: walletIds.of, provider: providers.get };
  const accounts = withGiven(
    books === undefined
      ? accountsOfGiven(sources, catalogue.wallets)
      : buildAccounts(sources, agreed.lastSyncedAt),
    given.get('integrations')?.values ?? [],
    providers.get,
  );
  const nfts = buildNfts(seed, accounts);
  const defi = buildDefi(seed, accounts);
  const resources =
    example && books !== undefined
      ? readResources(exampleRecords({ books, walletId: walletIds.of, holdings, nfts, defi }))
      : given;
  const transactionCount = book.derive(() => legs().transactions);
  const posted: Posted[] = [];
  const emit = (event: EmittedKind, data: object) => void tell(event, data, workspaceId);
  const runs = createRuns({ clock: movable, pace, emit });
  const newWalletIds = createIds('wal', seed);
  const integrations = createIntegrationStore({
    accounts,
    clock: movable,
    pace,
    provider: providers.get,
    newWalletId: (count) => newWalletIds.of(accounts.length + count),
    addedSince(walletId) {
      const wallet = walletIds.index(walletId) ?? -1;
      return (countByWallet()[wallet] ?? 0) - (counts[wallet] ?? 0);
    },
    emit,
    synced: runs.recalculate,
  });
  const syncs = createSyncStore({
    columns: written,
    ids: ledgers.syncIds,
    listsSyncs: ledgers.listsSyncs,
    decided: agreed.states,
    given: ledgers.givenSyncs,
    clock: movable,
    isAccount: (id) => integrations.list().some(({ walletId }) => walletId === id),
    follow: integrations.follow,
    states: settings.syncStates,
    scripts: settings.syncs,
  });

  /** Edits a leg. If `recalculate` is set, also starts a recalculation. */
  const edit: Edits['edit'] = (id, fields, recalculate = false) => {
    const found = ledgers.edit(id, fields, recalculate);
    if (found && recalculate) runs.recalculate();
    return found;
  };

  function route(app: FastifyInstance, auth: Access): void {
    const guard = auth.guard();
    routeProviders(app, providers);
    routeLedgers(app, ledgers, auth.guard('transactions:read'));
    routeTransactions(app, {
      ...{ store: transactions, json: transactionJson, ledgerJson: json, period, guard },
      meta: settings.transactionsMeta,
      converts: createConverts(resources.get('currencies')?.values),
    });
    routeHoldings(app, auth, resources, holdings, clock);
    routeIntegrations(app, auth, resources, integrations);
    routeSyncs(app, syncs, guard);
    routeCsv(app, guard, settings);
    routeNfts(app, auth, resources, nfts);
    routeDefi(app, auth, resources, defi);
    routeLists(app, auth, resources);
    routeUsers(app, auth, clock);
    routePosted(app, {
      ...{ auth, clock, ledgers, period, accounts: integrations.list },
      labels: postingLabels(settings.labels, resources.get('labels')?.values),
      keep: (entry) => posted.push(entry),
    });
  }

  return {
    get truth(): DataTruth {
      return {
        ...ledgers.truth(),
        providers: providers.size,
        holdings: holdings.length,
        holdingsValue: totalValue(holdings),
        integrations: accounts.length,
        nftHoldings: nfts.length,
        defiHoldings: defi.length,
        defiValue: totalDefiValue(defi),
        posted: () => posted,
      };
    },
    ledgers,
    edit,
    period,
    data: { ledgers, integrations, holdings, resources, example },
    integrations,
    example: (event: EmittedKind) => exampleEventData(event, integrations.list(), clock()),
    route,
    routeControl(app: FastifyInstance) {
      routeLedgerControl(app, ledgers, edit);
      routePeriodControl(app, period);
      routeIntegrationControl(app, integrations);
      routeSyncControl(app, syncs);
      routeRunsControl(app, runs);
    },
    counts: () => ({
      ledgers: book.columns.size,
      transactions: transactionCount(),
      accounts: integrations.list().length,
      holdings: holdings.length,
      NFTs: nfts.length,
      'DeFi positions': defi.length,
      providers: providers.size,
    }),
    reset,
    save: (): SavedService => ({
      ledgers: ledgers.save(),
      pages: ledgers.store.pages(),
      posted: posted.map(({ walletId, transactions }) => ({ walletId, transactions: [...transactions] })),
      lockedUntil: period.lockedUntil(),
      integrations: integrations.save(),
      syncs: syncs.save(),
      runs: runs.save(),
    }),
    /** @throws RangeError if a change cannot be applied; earlier changes may already be applied */
    restore(saved: SavedService): void {
      reset();
      ledgers.restore(saved.ledgers);
      ledgers.store.restore(saved.pages);
      posted.push(...saved.posted);
      period.lock(saved.lockedUntil);
      integrations.restore(saved.integrations);
      syncs.restore(saved.syncs);
      runs.restore(saved.runs);
    },
  };

  function reset(): void {
    posted.length = 0;
    ledgers.reset();
    period.reset();
    runs.reset();
    integrations.reset();
    syncs.reset();
  }
}
