import { describe, expect, test } from 'vitest';
import { CHANGES } from '../../src/legacy/renames.ts';
import { asked, run, sandboxed } from './harness.ts';
import { sendJson, stub } from './stub.ts';
import { at, RawNumber, readCells, readJson, readLines, readRows } from './values.ts';

const sandbox = await sandboxed({ rows: 50, oneOrigin: true });
const { env, apiKey, workspaceId } = sandbox;
const keyed = {
  ...env,
  CRYPTODATA_ACCESS_TOKEN: undefined,
  CRYPTODATA_API_KEY: apiKey,
  CRYPTODATA_WORKSPACE: workspaceId,
};

async function rows(args: readonly string[], more: Record<string, string | undefined> = env) {
  const { code, stdout, stderr } = await run(['legacy', ...args, '--json'], { env: more });
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return { rows: readRows(stdout), stderr };
}

describe('legacy commands that list records', () => {
  test('the command "legacy providers" needs no credentials and prints the complete public list', async () => {
    const alone = { CRYPTODATA_LEGACY_PUBLIC_URL: sandbox.url };
    const { rows: providers } = await rows(['providers'], alone);
    expect(providers).toHaveLength(sandbox.truth.providers);
    const { stdout } = await run(['legacy', 'providers', '--csv'], { env: alone });
    const cells = readCells(stdout);
    expect(cells.map(({ id }) => id)).toEqual(providers.map(({ id }) => id));
    expect(Object.keys(cells[0] ?? {})).toEqual(
      'id,name,publicName,logo,type,isAPI,isCSV,isOAuth,isEVM,isWorking,communityId,importGuide,functions,integrationInfo,walletLimitations'.split(
        ',',
      ),
    );
  });

  test('the command "legacy integrations" requires an API key, and sends no request if only an access token is set', async () => {
    const { rows: wallets } = await rows(['integrations'], keyed);
    expect(wallets.length).toBeGreaterThan(3);
    expect(Object.keys(wallets[0] ?? {})).toEqual(['walletId', 'name', 'type', 'address']);
    await sandbox.reset();
    const { code, stderr } = await run(['legacy', 'integrations'], { env });
    expect([code, asked(sandbox)]).toEqual([2, []]);
    expect(stderr).toContain('CRYPTODATA_API_KEY');
  });

  test.each(['holdings', 'userinfo', 'nfts', 'defi'])(
    'the command "legacy %s" requires a login, and sends no request if only an API key is set',
    async (verb) => {
      await sandbox.reset();
      const { code, stderr } = await run(['legacy', verb, '--json'], { env: keyed });
      expect([code, asked(sandbox)]).toEqual([2, []]);
      expect(JSON.parse(stderr).error).toMatchObject({ code: 'NEEDS_LOGIN' });
    },
  );

  test('the command "legacy holdings" reads every page, and prints the legacy field names', async () => {
    const { rows: holdings } = await rows(['holdings', '--all']);
    expect(holdings).toHaveLength(sandbox.truth.holdings);
    expect(Object.keys(holdings[0] ?? {})).toEqual(['asset', 'costbasis', 'roi', '24hrChange']);
    const { stdout } = await run(['legacy', 'holdings', '--csv'], { env });
    expect(stdout.split('\n')[0]).toBe('asset.tokenId,costbasis,roi,24hrChange');
  });

  test('the command "legacy nfts" reads every page, and filters by token id, contract and chain', async () => {
    const { rows: every } = await rows(['nfts', '--all']);
    expect(every.length).toBeGreaterThan(100);
    const { rows: two, stderr } = await rows(['nfts', '--limit', '2', '--offset', '1']);
    expect(two).toEqual(every.slice(1, 3));
    expect(stderr).toContain(`2 of ${every.length} NFTs shown`);
    const [first = {}] = every;
    const [tokenId, contract] = [at(first, 'tokenId'), at(first, 'contractAddress')].map(String);
    const { rows: one } = await rows(['nfts', '--token-id', tokenId ?? '', '--contract', contract ?? '']);
    expect(one).toEqual([first]);
    const { rows: on } = await rows(['nfts', '--chain', 'polygon', '--all']);
    const { rows: off } = await rows(['nfts', '--chain', 'ethereum', '--all']);
    expect(on.length + off.length).toBe(every.length);
    const { stdout } = await run(['legacy', 'nfts', '--all', '--csv'], { env });
    expect(readCells(stdout)).toHaveLength(every.length);
    expect(stdout).not.toContain('\u001b');
  });

  test('the command "legacy nfts" rejects more than 30 sources', async () => {
    const many = Array.from({ length: 31 }, (_, n) => `s${n}`).join(',');
    const { code, stderr } = await run(['legacy', 'nfts', '--source', many], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('at most 30')]);
  });

  test('the command "legacy defi" lists all positions and their total value, or shows the position with a given id', async () => {
    await sandbox.reset();
    const { rows: every, stderr } = await rows(['defi', '--all']);
    expect(asked(sandbox).map(({ path }) => path)).toEqual(['/v0/defi-holdings']);
    expect(stderr).toMatch(/total_defi_value: [\d.]+ [A-Z]{3}\b/);
    const id = String(every[0]?.['id']);
    expect((await rows(['defi', '--doc-id', id])).rows).toEqual(every.slice(0, 1));
    const unsorted = await rows(['defi', '--all', '--sort-by-highest-value=false']);
    expect(unsorted.rows).not.toEqual(every);
    const some = await rows(['defi', '--limit', '3']);
    expect(some.stderr).toContain(`3 of ${every.length} DeFi positions shown`);
  });

  test('the command "legacy defi" sends one request, and warns about rows that the endpoint cannot return', async () => {
    const service = await stub((_request, response) =>
      sendJson(response, 200, '{"holdings":[{"id":"a"}],"total_count":1001,"total_defi_value":"\\u001b[2J"}'),
    );
    const { code, stderr } = await run(['legacy', 'defi', '--all', '--quiet'], {
      env: { ...legacyEnv(service) },
    });
    expect([code, service.requests]).toEqual([0, ['/v0/defi-holdings?limit=1000']]);
    expect(stderr).toContain('1 of 1,001 DeFi positions shown. The endpoint has no offset');
  });

  test('the command "legacy userinfo" prints the fields user_id and timestamp', async () => {
    const { code, stdout } = await run(['legacy', 'userinfo', '--json'], { env });
    expect([code, Object.keys(Object(readJson(stdout)))]).toEqual([0, ['user_id', 'timestamp']]);
  });

  test.each([
    ['a bare array', '[{"id":"1","walletId":"1"},{"id":"2","walletId":"2"}]'],
    ['the field data', '{"success":true,"data":[{"id":"1","walletId":"1"},{"id":"2","walletId":"2"}]}'],
    [
      'the old paging',
      '{"holdings":[{"id":"1"},{"id":"2"}],"pagination":{"limit":100,"offset":0,"totalCount":2}}',
    ],
    ['no paging', '{"whatever":[{"id":"1"},{"id":"2"}],"user_id":"u"}'],
  ])(
    'every legacy command that lists records accepts a response with %s, and reads one page',
    async (_name, body) => {
      const service = await stub((_request, response) => sendJson(response, 200, body));
      for (const list of ['providers', 'integrations', 'holdings', 'nfts', 'defi']) {
        const more = list === 'integrations' ? withKey(service) : legacyEnv(service);
        const { rows: got } = await rows([list, '--all'], more);
        expect([list, got.map(({ id }) => id)]).toEqual([list, ['1', '2']]);
      }
    },
  );

  test('the legacy commands print every digit of a 30-digit number', async () => {
    const long = '123456789012345678901234567890.5';
    const service = await stub((_request, response) =>
      sendJson(response, 200, `{"holdings":[{"id":"1","amount":${long},"costbasis":${long}}]}`),
    );
    for (const list of ['holdings', 'nfts', 'defi']) {
      const { stdout } = await run(['legacy', list, '--jsonl'], { env: legacyEnv(service) });
      expect(readLines(stdout)[0]?.['amount']).toEqual(new RawNumber(long));
    }
    const { stdout } = await run(['legacy', 'nfts', '--csv'], { env: legacyEnv(service) });
    expect(readCells(stdout)[0]?.['amount']).toBe(long);
  });
});

function legacyEnv(service: { readonly url: string }) {
  return {
    CRYPTODATA_LEGACY_BASE_URL: service.url,
    CRYPTODATA_LEGACY_PUBLIC_URL: service.url,
    CRYPTODATA_ACCESS_TOKEN: 't',
    CRYPTODATA_CLIENT_ID: 'c',
    CRYPTODATA_CLIENT_SECRET: 's',
  };
}

function withKey(service: { readonly url: string }) {
  return {
    CRYPTODATA_LEGACY_BASE_URL: service.url,
    CRYPTODATA_API_KEY: 'k',
    CRYPTODATA_WORKSPACE: 'ws_1',
  };
}

describe('legacy renames', () => {
  test('the command "legacy renames" lists each rename as a record', async () => {
    const { rows: changes } = await rows(['renames'], {});
    expect(changes).toEqual(CHANGES);
  });

  test.each([
    ['/v1/nft-holdings', 'GET /v1/nfts'],
    ['/api/v1/nft-holdings?limit=5', 'GET /v1/nfts'],
    ['GET /v0/transactions', 'GET /v1/transactions'],
    ['POST /v0/transactions', null],
    ['/v1/counterparties/x', null],
    ['/v1/holdings', 'GET /v1/holdings'],
    ['/v1/ledgers', 'GET /v1/ledgers'],
    ['uncategorized', expect.stringContaining('isUncategorisedIgnored=false')],
    ['costbasis', 'costBasis'],
    ['roiPercentage', 'roiPercentage'],
    ['24hrChange', 'change24h, change24hPercentage'],
    ['change24h', 'change24h, change24hPercentage'],
    ['isSpam', 'isSpam'],
    ['user_id', null],
    ['returned_count', null],
    ['hasNextPage', 'hasMore'],
    ['summary', null],
    ['snake_case', 'camelCase'],
  ])('the command "legacy renames" with --path prints the current name of %s', async (path, now) => {
    const { code, stdout } = await run(['legacy', 'renames', '--path', path, '--json']);
    expect([code, JSON.parse(stdout).now]).toEqual([0, now]);
  });

  test.each([
    ['/v1/nft-holding', '/v1/nft-holdings'],
    ['costbases', 'costbasis'],
    ['POST /v1/defi-holdingz', '/v1/defi-holdings'],
    ['zzzzzzzzzz', 'cryptodata legacy renames'],
  ])(
    'the command "legacy renames" exits with 5 and prints a hint for the unknown name %s',
    async (path, hint) => {
      const { code, stderr } = await run(['legacy', 'renames', '--path', path]);
      expect([code, stderr]).toEqual([5, expect.stringContaining(hint)]);
    },
  );
});
