// Checks that the records of the sandbox have every field in the specification, with the right type.

import { beforeAll, describe, expect, it } from 'vitest';
import { allLedgers, call, get, isObject, type Json, list, logIn, object, start, text } from './helpers.ts';

const sandbox = await start({ registeredScopes: ['contacts:read'] });
const token = sandbox.env['CRYPTODATA_ACCESS_TOKEN'] ?? '';
const old = {
  headers: {
    authorization: `Bearer ${token}`,
    'x-client-id': sandbox.clientId,
    'x-client-secret': sandbox.clientSecret,
  },
};

type Check = (value: unknown) => boolean;

const string: Check = (value) => typeof value === 'string';
const filled: Check = (value) => typeof value === 'string' && value !== '';
const boolean: Check = (value) => typeof value === 'boolean';
const number: Check = (value) => typeof value === 'number';
const whole: Check = (value) => Number.isInteger(value);
/** A time after 1970, in Unix milliseconds. A time in seconds is smaller, so it fails the check. */
const moment: Check = (value) => Number.isInteger(value) && Number(value) > 31_536_000_000;
const decimal: Check = (value) => typeof value === 'string' && /^-?\d+(\.\d{1,18})?$/.test(value);
const isoTime: Check = (value) => typeof value === 'string' && new Date(value).toISOString() === value;
const address: Check = (value) => typeof value === 'string' && URL.canParse(value);
const array: Check = (value) => Array.isArray(value);
const record: Check = (value) => isObject(value);
const oneOf =
  (...allowed: unknown[]): Check =>
  (value) =>
    allowed.includes(value);
const or =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));
const nothing = oneOf(null);
const each =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) &&
    JSON.stringify(Object.keys(value).sort()) === JSON.stringify(Object.keys(fields).sort()) &&
    Object.entries(fields).every(([name, check]) => check(value[name]));
/** Accepts a value of the right type or a missing field. */
const optional = (check: Check): Check => or(oneOf(undefined), check);

type Rows = readonly (readonly [title: string, check: Check, path?: string])[];

/** Checks the type of each field in all records. At least one record must have a value for the field. */
function fields(records: () => readonly Json[], rows: Rows): void {
  for (const [title, check, path = title.slice(1, -1).split('.').at(-1) ?? ''] of rows) {
    it(`${title} has the specified type`, () => {
      const values = records().map((one) => at(one, path));
      expect(values.length).toBeGreaterThan(0);
      expect(values.filter((value) => !check(value)).slice(0, 3)).toEqual([]);
      expect(values.some((value) => value !== null && value !== undefined)).toBe(true);
    });
  }
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, part) => (isObject(inner) ? inner[part] : undefined), value);
}

describe('ledgers', () => {
  let rows: Json[] = [];
  beforeAll(async () => {
    rows = await allLedgers(sandbox);
  });
  const account = or(nothing, shape({ provider: filled, walletId: filled }));
  // A spam token can have an empty symbol.
  const summary = shape({ symbol: string, name: string, logoUrl: string, type: filled });

  fields(
    () => rows,
    [
      ['[ledger.id]', filled],
      ['[ledger.transactionId]', filled],
      ['[ledger.workspaceId]', oneOf(sandbox.workspaceId)],
      ['[ledger.type]', oneOf('incoming', 'outgoing', 'fee')],
      ['[ledger.assetId]', or(nothing, filled)],
      ['[ledger.assetRaw]', record],
      ['[ledger.assetRaw.symbol]', string, 'assetRaw.symbol'],
      ['[ledger.quantity]', decimal],
      ['[ledger.baseCurrency]', filled],
      ['[ledger.price]', or(nothing, record)],
      [
        '[ledger.price.fields]',
        or(nothing, shape({ price: number, baseCurrency: filled, timestamp: moment, source: filled })),
        'price',
      ],
      ['[ledger.value]', or(nothing, number)],
      ['[ledger.timestamp]', moment],
      ['[ledger.walletId]', filled],
      ['[ledger.syncId]', or(nothing, filled)],
      ['[ledger.fromAccount]', account],
      ['[ledger.toAccount]', account],
      ['[ledger.label]', or(nothing, filled)],
      ['[ledger.description]', or(nothing, filled)],
      ['[ledger.internalLabel]', or(nothing, filled)],
      ['[ledger.isEdited]', boolean],
      ['[ledger.beforeBalance]', or(nothing, decimal)],
      ['[ledger.afterBalance]', or(nothing, decimal)],
      ['[ledger.costbasis]', or(nothing, decimal)],
      ['[ledger.proceeds]', or(nothing, decimal)],
      ['[ledger.profit]', or(nothing, decimal)],
      ['[ledger.debitCoaCode]', or(nothing, filled)],
      ['[ledger.creditCoaCode]', or(nothing, filled)],
      ['[ledger.isDebitCoaEdited]', boolean],
      ['[ledger.isCreditCoaEdited]', boolean],
      ['[ledger.asset]', record],
      ['[ledger.asset.fields]', or(shape({}), summary), 'asset'],
    ],
  );

  it('`asset` contains a summary if `assetId` is set, and is otherwise empty [ledger.assetId, ledger.asset]', () => {
    for (const { assetId, asset } of rows)
      expect(Object.keys(object(asset)).length > 0).toBe(assetId !== null);
    expect(rows.some(({ assetId }) => assetId === null)).toBe(true);
  });

  it('all amounts are decimal strings, except `value`, which is a number [ledger.decimal-strings, format.quantities, bounds.quantity]', () => {
    const columns = ['quantity', 'beforeBalance', 'afterBalance', 'costbasis', 'proceeds', 'profit'];
    for (const row of rows) {
      const figures = columns.map((name) => row[name]).filter((figure) => figure !== null);
      expect(figures.every(decimal)).toBe(true);
      expect(row['value'] === null || typeof row['value'] === 'number').toBe(true);
    }
    expect(rows.some(({ quantity }) => /\.\d{18}$/.test(text(quantity)))).toBe(true);
  });
});

describe('providers', () => {
  let rows: Json[] = [];
  const parts = (name: string) =>
    rows.flatMap((row) => {
      const part = row[name];
      return Array.isArray(part) ? part.map(object) : isObject(part) ? Object.values(part).map(object) : [];
    });
  beforeAll(async () => {
    const { body } = await get(sandbox, '/v1/integrations');
    expect(body['success']).toBe(true);
    rows = list(object((await call(`${sandbox.url}/v1/providers?limit=100`)).body['data'])['providers']);
  });
  const CAPABILITIES =
    'trades deposits withdrawals staking nft defi holdings margin futures swap bridge'.split(' ');

  fields(
    () => rows,
    [
      ['[provider.id]', filled],
      ['[provider.slug]', (value) => typeof value === 'string' && encodeURIComponent(value) === value],
      ['[provider.name]', filled],
      ['[provider.publicName]', filled],
      ['[provider.description]', or(nothing, filled)],
      ['[provider.type]', oneOf('exchange', 'blockchain', 'wallet', 'service', 'aggregator')],
      ['[provider.logo]', or(nothing, address)],
      ['[provider.featured]', boolean],
      ['[provider.isWorking]', boolean],
      ['[provider.importMethods]', each(oneOf('api', 'csv', 'oauth', 'address', 'wallet_connect', 'manual'))],
      ['[provider.credentialFields]', record],
      ['[provider.capabilities]', record],
      ['[provider.walletSupportedChains]', or(nothing, array)],
      [
        '[provider.walletSupportedChains.entries]',
        or(nothing, each(or(shape({ id: filled }), shape({ id: filled, onlyManual: boolean })))),
        'walletSupportedChains',
      ],
      ['[provider.functions]', or(nothing, each(record))],
      ['[provider.integrationInfo]', or(nothing, record)],
      ['[provider.walletLimitations]', or(nothing, record)],
      ['[provider.metadata]', or(nothing, record)],
      ['[provider.createdAt]', isoTime],
      ['[provider.updatedAt]', isoTime],
    ],
  );

  fields(
    () => parts('credentialFields'),
    [
      ['[provider.credential.required]', boolean],
      ['[provider.credential.type]', oneOf('string', 'password', 'boolean')],
      ['[provider.credential.label]', filled],
      ['[provider.credential.placeholder]', optional(string)],
    ],
  );

  fields(
    () => parts('functions'),
    [
      ['[provider.function.name]', filled],
      ['[provider.function.public_name]', filled],
      ['[provider.function.is_base]', boolean],
      ['[provider.function.categories]', each(filled)],
      ['[provider.function.enabled]', boolean],
      ['[provider.function.operational]', boolean],
    ],
  );

  it('every operational function of a provider is also enabled [provider.function.operational]', () => {
    const functions = parts('functions');
    expect(functions.filter(({ enabled, operational }) => operational === true && enabled !== true)).toEqual(
      [],
    );
    expect(functions.some(({ enabled, operational }) => enabled === true && operational === false)).toBe(
      true,
    );
  });

  it('the capabilities of a provider are a subset of the known flags [provider.capabilities.keys, provider.capabilities.absent]', () => {
    const all = rows.map((row) => object(row['capabilities']));
    for (const flags of all) {
      expect(Object.keys(flags).filter((key) => !CAPABILITIES.includes(key))).toEqual([]);
      expect(Object.values(flags).every(boolean)).toBe(true);
    }
    expect(all.some((flags) => Object.keys(flags).length < CAPABILITIES.length)).toBe(true);
  });

  it('providers do not expose the configuration of their connectors [provider.no-internals]', () => {
    const known = ['name', 'public_name', 'is_base', 'categories', 'enabled', 'operational'];
    for (const each of parts('functions')) expect(Object.keys(each)).toEqual(known);
    const words = rows
      .flatMap((row) => Object.keys(row))
      .filter((name) => /upstream|rate|batch|probe|config/i.test(name));
    expect(words).toEqual([]);
  });

  it('the providerId of each integration is the id of a provider [provider.id]', async () => {
    const { body } = await get(sandbox, '/v1/integrations', { limit: 200 });
    const known = new Set(rows.map(({ id }) => id));
    const connected = list(body['data']).filter(({ isCustomWallet }) => isCustomWallet !== true);
    expect(connected.filter(({ providerId }) => !known.has(providerId))).toEqual([]);
    expect(connected.length).toBeGreaterThan(0);
  });
});

describe('the public list of the legacy API', () => {
  let rows: Json[] = [];
  beforeAll(async () => {
    rows = list((await call(`${sandbox.url}/integrations/public/list`)).body['data']);
  });

  fields(
    () => rows,
    [
      ['[public-list.id]', filled],
      ['[public-list.name]', filled],
      ['[public-list.publicName]', filled],
      ['[public-list.logo]', string],
      ['[public-list.type]', oneOf('wallet', 'exchange', 'blockchain', 'services', 'aggregator')],
      ['[public-list.isAPI]', boolean],
      ['[public-list.isCSV]', boolean],
      ['[public-list.isOAuth]', boolean],
      ['[public-list.isEVM]', boolean],
      ['[public-list.isWorking]', boolean],
      ['[public-list.communityId]', optional(number)],
      ['[public-list.importGuide]', string],
      ['[public-list.functions]', array],
      ['[public-list.functions.entries]', each(shape({ name: filled, publicName: filled })), 'functions'],
      ['[public-list.integrationInfo]', optional(record)],
      ['[public-list.walletLimitations]', optional(or(nothing, record))],
    ],
  );

  it('only blockchains have a communityId [public-list.communityId]', () => {
    const with_ = rows.filter(({ communityId }) => communityId !== undefined);
    expect(new Set(with_.map(({ type }) => type))).toEqual(new Set(['blockchain']));
  });

  it('integrationInfo of an exchange shows whether an API key and a secret are required [public-list.integrationInfo.keys]', () => {
    const info = rows
      .filter(({ type, integrationInfo }) => type === 'exchange' && integrationInfo !== undefined)
      .map(({ integrationInfo }) => object(integrationInfo));
    const told = info.filter((one) => 'apiKeyRequired' in one);
    expect(told.length).toBeGreaterThan(0);
    for (const one of told)
      expect([one['apiKeyRequired'], one['apiSecretRequired']].every(boolean)).toBe(true);
  });

  it('the public list is the same in each response [legacy.public-list.static]', async () => {
    const [one, other] = [1, 2].map(() => call(`${sandbox.url}/integrations/public/list`));
    expect((await one)?.raw).toBe((await other)?.raw);
  });
});

describe('integrations', () => {
  let rows: Json[] = [];
  beforeAll(async () => {
    rows = list((await get(sandbox, '/v1/integrations', { limit: 200 })).body['data']);
  });

  fields(
    () => rows,
    [
      ['[integration.provider]', filled],
      ['[integration.providerPublicName]', filled],
      ['[integration.publicAddress]', string],
      ['[integration.walletId]', filled],
      ['[integration.logoUrl]', string],
      ['[integration.isContract]', oneOf(false)],
      ['[integration.alias]', string],
      [
        '[integration.status]',
        oneOf('QUEUED', 'SYNCING', 'COMPLETED', 'FAILED', 'DELETING', 'DELETED', 'INACTIVE'),
      ],
      ['[integration.errorMessage, status.FAILED]', optional(filled), 'errorMessage'],
      ['[integration.addedOn]', or(oneOf(0), moment)],
      ['[integration.lastSyncedAt]', or(oneOf(0), moment)],
      ['[integration.category]', oneOf('exchange', 'wallet', 'blockchain', 'unknown')],
      ['[integration.type]', oneOf('api', 'csv')],
      ['[integration.totalTransactions]', whole],
    ],
  );

  it('errorMessage is present only if the status is FAILED [integration.errorMessage, status.FAILED]', () => {
    for (const one of rows) expect('errorMessage' in one && one['status'] !== 'FAILED').toBe(false);
    expect(rows.some(({ status, errorMessage }) => status === 'FAILED' && filled(errorMessage))).toBe(true);
  });

  it('lastSyncedAt is 0 if the account was never synced [integration.lastSyncedAt]', () => {
    // Uploaded files and custom wallets have no syncs.
    const isSynced = ({ type }: Json) => type !== 'csv';
    expect(rows.filter(isSynced).length).toBeGreaterThan(5);
    expect(rows.filter((one) => !isSynced(one)).length).toBeGreaterThan(1);
    for (const one of rows) expect(one['lastSyncedAt'] !== 0, String(one['walletId'])).toBe(isSynced(one));
  });

  it('the list never contains an integration with the status DELETED [status.DELETED]', () => {
    expect(rows.filter(({ status }) => status === 'DELETED')).toEqual([]);
  });
});

describe('NFTs of the legacy API', () => {
  let rows: Json[] = [];
  beforeAll(async () => {
    rows = list((await call(`${sandbox.url}/api/v1/nft-holdings?limit=1000`, old)).body['holdings']);
  });
  const money = shape({ price: number, baseCurrency: filled });

  fields(
    () => rows,
    [
      ['[nft.id]', filled],
      ['[nft.contractAddress]', filled],
      ['[nft.tokenId]', filled],
      ['[nft.name]', string],
      ['[nft.description]', string],
      ['[nft.contentType]', (value) => typeof value === 'string' && /^\w+\/[\w+.-]+$/.test(value)],
      ['[nft.nftUrl]', address],
      ['[nft.thumbnailUrl]', address],
      ['[nft.source]', record],
      ['[nft.source.fields]', shape({ provider: filled, walletId: filled, publicAddress: string }), 'source'],
      ['[nft.ercType]', oneOf('ERC-721', 'ERC-1155')],
      ['[nft.amount]', number],
      ['[nft.price]', record],
      ['[nft.price.fields]', money, 'price'],
      ['[nft.isNftSpam]', boolean],
      ['[nft.collection]', record],
      [
        '[nft.collection.fields]',
        shape({
          collectionId: filled,
          name: string,
          description: string,
          imageUrl: address,
          floorPrice: each(money),
          ownerCount: number,
          totalQuantity: number,
          socialLinks: each(shape({ platform: filled, url: address })),
        }),
        'collection',
      ],
      ['[nft.lastSale]', record],
      [
        '[nft.lastSale.fields]',
        shape({
          fromAddress: filled,
          toAddress: filled,
          quantity: number,
          timestamp: isoTime,
          transactionHash: filled,
          marketplaceName: filled,
          totalPrice: money,
        }),
        'lastSale',
      ],
    ],
  );
});

describe('DeFi positions of the legacy API', () => {
  let rows: Json[] = [];
  beforeAll(async () => {
    rows = list((await call(`${sandbox.url}/v0/defi-holdings`, old)).body['holdings']);
  });

  fields(
    () => rows,
    [
      ['[defi.id]', filled],
      ['[defi.name]', filled],
      ['[defi.chain]', filled],
      ['[defi.type]', filled],
      ['[defi.stats]', record],
      [
        '[defi.stats.fields]',
        shape({
          net_usd_value: number,
          asset_usd_value: number,
          debt_usd_value: number,
          converted_net_value: number,
          converted_currency: filled,
        }),
        'stats',
      ],
      ['[defi.portfolio_entry]', record],
      [
        '[defi.supply_token_list]',
        each(shape({ currency: filled, amount: number })),
        'portfolio_entry.supply_token_list',
      ],
      ['[defi.source]', shape({ walletId: filled, address: string })],
    ],
  );
});

describe('tokens and claims', () => {
  let tokens: Json = {};
  let claims: Json = {};
  beforeAll(async () => {
    tokens = await logIn(sandbox);
    const headers = { authorization: `Bearer ${text(tokens['access_token'])}` };
    claims = (await call(`${sandbox.url}/oidc/userinfo`, { headers })).body;
  });
  const jwt: Check = (value) => typeof value === 'string' && value.split('.').length === 3;

  fields(
    () => [tokens],
    [
      ['[token.access_token]', jwt],
      ['[token.id_token]', jwt],
      ['[token.token_type]', oneOf('Bearer')],
      ['[token.expires_in]', oneOf(86_400)],
      ['[token.refresh_token]', filled],
      ['[token.scope]', filled],
    ],
  );

  fields(
    () => [claims],
    [
      ['[userinfo.sub]', oneOf(sandbox.truth.uid)],
      ['[userinfo.name]', filled],
      ['[userinfo.picture]', address],
      ['[userinfo.updated_at]', (value) => Number.isInteger(value) && Number(value) < 10_000_000_000],
      ['[userinfo.email]', (value) => typeof value === 'string' && value.includes('@')],
      ['[userinfo.email_verified]', boolean],
    ],
  );

  it('userinfo does not contain granted scopes [userinfo.no-scopes, userinfo.no-access-claims]', () => {
    expect(Object.keys(claims).filter((name) => /scope|access/.test(name))).toEqual([]);
  });
});
