// A program that uses the published package. The test test/e2e/types.test.ts compiles this file with the published type
// declarations. A line below `@ts-expect-error` must not compile. All other lines must compile.
import {
  AuthError,
  type CallOptions,
  type Client,
  CryptodataError,
  createClient,
  type Episode,
  field,
  InterruptedError,
  type JsonNumber,
  type Ledger,
  legsOf,
  NetworkError,
  NotFoundError,
  type Provider,
  RateLimitError,
  ServiceError,
  symbolOf,
  TimeoutError,
  UnverifiedError,
  UsageError,
  verifyWebhook,
  type WebhookEvent,
} from 'cryptodata';
import { createSandbox } from 'cryptodata/sandbox';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function isExactly<A, B>(_same: Same<A, B>): void {}

declare const client: Client;
declare const signal: AbortSignal;

// Records have only the fields in the specification.
export async function records(): Promise<void> {
  const ledger = await client.ledgers.get('led_1');
  isExactly<typeof ledger, Ledger>(true);
  isExactly<(typeof ledger)['id'], string>(true);
  isExactly<(typeof ledger)['afterBalance'], string | null | undefined>(true);
  isExactly<(typeof ledger)['value'], JsonNumber | null | undefined>(true);
  // @ts-expect-error a misspelt field
  ledger.afterBalanc;
  // @ts-expect-error
  ledger['afterBalanc'];
  // @ts-expect-error
  const { quantiy } = ledger;
  // @ts-expect-error the fields of a record are read-only
  ledger.quantity = '1';
  // @ts-expect-error a decimal string is not a number
  const amount: number = ledger.quantity;
  ledger.asset?.symbol;
  // @ts-expect-error
  ledger.asset?.symbl;
  // @ts-expect-error an unknown price is null
  ledger.price.price;
  // @ts-expect-error
  ledger.price?.prize;
  // @ts-expect-error
  ledger.fromAccount?.wallet;

  // `field` reads unknown fields at any depth.
  isExactly<ReturnType<typeof field>, unknown>(true);
  field(ledger, 'newField');
  field(ledger.asset, 'decimals');
  // @ts-expect-error the type of the value is `unknown` until the program checks it
  const unchecked: string = field(ledger, 'newField');

  const [name, text]: [string, string] = [symbolOf(ledger), String(ledger.timestamp)];
  const [transaction] = (await client.transactions.list().page()).rows;
  legsOf(transaction?.incomingAssets).map((leg) => leg['id']);
  // @ts-expect-error
  transaction?.incomingAsset;

  for await (const label of client.labels.list()) {
    field(label, 'name');
    // @ts-expect-error the specification does not define the fields of a label
    label.name;
  }
  const { errorCount } = await client.transactions.batch({});
  // @ts-expect-error
  const { errorCout } = await client.transactions.batch({});
  const { failures } = await client.csv.upload({ field: 'files', files: [] });
  // @ts-expect-error
  const { failure } = await client.csv.upload({ field: 'files', files: [] });
  void [quantiy, amount, unchecked, name, text, errorCount, errorCout, failures, failure];
}

// If the specification names the values of a field, only these values compile. To compare with other values, convert the value
// to a string.
export async function words(ledger: Ledger, provider: Provider): Promise<string | undefined> {
  if (ledger.type === 'incoming') return 'in';
  // @ts-expect-error a misspelt value
  if (ledger.type === 'incomming') return 'in';
  switch (ledger.type) {
    case 'outgoing':
    case 'fee':
      return 'out';
    // @ts-expect-error
    case 'out':
      return 'out';
    default:
      break;
  }
  // The service may have added this value later.
  if (String(ledger.type) === 'staking') return 'in';
  const word: string | undefined = ledger.type;

  provider.importMethods?.includes('csv');
  // @ts-expect-error
  provider.importMethods?.includes('cvs');
  provider.capabilities?.staking;
  // @ts-expect-error
  provider.capabilities?.steaking;
  provider.credentialFields?.['apiKey']?.label;
  const [account] = (await client.integrations.list().page()).rows;
  if (account?.status === 'SYNCING' || account?.category === 'exchange') return account.walletId ?? undefined;
  // @ts-expect-error syncs have this state, but accounts do not
  if (account?.status === 'partially_synced') return undefined;
  const sync = await client.syncs.get('syn_1');
  // @ts-expect-error accounts have this status, but syncs do not
  if (sync.status === 'COMPLETED') return undefined;
  return word;
}

// Filters.
export function filters(): void {
  client.ledgers.list({ types: ['incoming', 'fee'], ltAfterBalance: '0', sortOrder: 'asc', limit: 10 });
  // @ts-expect-error a misspelt value
  client.ledgers.list({ types: ['incomming'] });
  // @ts-expect-error a misspelt filter
  client.ledgers.list({ ltAfterBalanc: '0' });
  // @ts-expect-error a number is not accepted, because it may have lost digits
  client.ledgers.list({ ltAfterBalance: 0 });
  // @ts-expect-error
  client.ledgers.list({ sortOrder: 'ascending' });
  // @ts-expect-error
  client.ledgers.list({ assetIds: 'ast_1' });
  // @ts-expect-error
  client.ledgers.list({ startTime: '2025-01-01' });
  client.ledgers.list({ extra: { types: 'staking', newFilter: 'x' } });
  client.providers.list({ type: 'exchange', featured: true, page: 2 });
  // @ts-expect-error
  client.providers.list({ type: 'exchang' });
  // @ts-expect-error only ledgers have this filter
  client.transactions.list({ ltAfterBalance: '0' });
  // @ts-expect-error
  client.labels.list({ name: 'x' });
  client.legacy.nfts({ chain: 'polygon' });
  // @ts-expect-error
  client.legacy.nfts({ chain: 'solana' });
}

// Every method accepts the same call options as its last argument.
export async function options(): Promise<void> {
  const call: CallOptions = { signal, timeout: 5000, retries: 0 };
  client.ledgers.list({}, call);
  await client.ledgers.get('led_1', call);
  await client.ledgers.getAsServed('led_1', call);
  client.transactions.ledgers('txn_1', {}, call);
  await client.transactions.batch([], call);
  await client.holdings.defiTotals({}, call);
  await client.integrations.aliasExists('main', {}, call);
  await client.integrations.testCredentials({}, call);
  await client.integrations.batchDelete({}, call);
  await client.integrations.resyncAll(undefined, call);
  client.integrations.watch([], call);
  client.syncs.watch('syn_1', call);
  await client.csv.upload({ field: 'files', files: [] }, call);
  await client.users.me(call);
  await client.legacy.userinfo({}, call);
  await client.legacy.postTransactions({ walletId: 'w', transactions: [] }, call);
  await client.legacy.postAsServed({}, {}, call);
  await client.exportLedgers({ out: 'x.csv' }, call);
  await client.negative({}, call);
  // @ts-expect-error a misspelt option
  await client.ledgers.get('led_1', { retrys: 0 });
  // @ts-expect-error
  client.ledgers.list({}, { timout: 1 });
  // @ts-expect-error the signal must be inside the options
  client.ledgers.list({}, signal);
  // @ts-expect-error
  createClient({ baseURL: 'https://api.example.com' });
  // @ts-expect-error
  client.leders;
}

// Jobs.
export async function jobs(): Promise<Episode | undefined> {
  const done = await client.exportLedgers({
    out: 'ledgers.csv',
    period: '2025-Q3',
    tz: 'Europe/Berlin',
    types: ['fee'],
    overwrite: true,
    onProgress: ({ rows, total = 0 }) => rows / total,
  });
  isExactly<(typeof done)['verified'], true>(true);
  isExactly<(typeof done)['total'], number>(true);
  // @ts-expect-error the file to write is required
  await client.exportLedgers({ period: '2025' });
  // @ts-expect-error
  await client.exportLedgers({ out: 'x.csv', format: 'xls' });
  // @ts-expect-error an export always contains all rows, so it has no limit
  await client.exportLedgers({ out: 'x.csv', limit: 10 });
  // @ts-expect-error
  await client.exportLedgers({ out: 'x.csv', perod: '2025' });
  const { episodes } = await client.negative({ period: '2025' });
  // @ts-expect-error `negative` sets this filter itself
  await client.negative({ ltAfterBalance: '1' });
  // @ts-expect-error
  episodes[0]?.deepest?.balance;
  return episodes[0];
}

// Webhooks.
export function webhooks(body: Uint8Array, headers: Headers): string | undefined {
  const event: WebhookEvent = verifyWebhook(body, headers, 'secret', {
    header: 'X-Signature',
    tolerance: 300_000,
  });
  // @ts-expect-error the signature covers the raw bytes, so a parsed body is not accepted
  verifyWebhook({ id: 'whd_1' }, headers, 'secret', { header: 'X-Signature' });
  // @ts-expect-error the specification names no signature header, so `header` is required
  verifyWebhook(body, headers, 'secret', {});
  verifyWebhook('{}', { 'x-signature': ['a'] }, 'secret', { header: 'X-Signature', encoding: 'base64' });
  // @ts-expect-error
  if (event.event === 'integration.faild') return undefined;
  if (event.event === 'integration.failed') {
    // @ts-expect-error
    event.data.errorMesage;
    return event.data.errorMessage ?? event.data.walletId;
  }
  if (event.event === 'costbasis.failed') {
    // @ts-expect-error only integration events have this field
    event.data.walletId;
    return event.data.reason ?? undefined;
  }
  // @ts-expect-error
  event.grantId;
  return event.grant_id;
}

// Errors.
export function errors(error: unknown): number | string | undefined {
  if (error instanceof RateLimitError) return error.retryAfter;
  if (error instanceof NotFoundError || error instanceof AuthError) {
    isExactly<typeof error.kind, 'notFound' | 'auth'>(true);
    return error.requestId;
  }
  if (error instanceof ServiceError) return error.reason;
  if (error instanceof TimeoutError) {
    const network: NetworkError = error;
    return network.code;
  }
  if (error instanceof UnverifiedError || error instanceof UsageError || error instanceof InterruptedError)
    return error.hint;
  // @ts-expect-error a network error has no response, so it has no request id
  if (error instanceof NetworkError) return error.requestId;
  if (error instanceof CryptodataError) {
    // @ts-expect-error
    if (error.kind === 'not-found') return error.code;
    return error.status;
  }
  return undefined;
}

// Closing.
export async function closing(): Promise<void> {
  await using sandbox = await createSandbox({ rows: 10 });
  await using own = createClient({ baseUrl: sandbox.url });
  await own.close();
  // @ts-expect-error
  await createSandbox({ row: 10 });
  // @ts-expect-error
  sandbox.truth.legers;
}
