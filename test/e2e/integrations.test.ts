import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { asked, messagesOf, type Result, run, sandboxed, temporary } from './harness.ts';
import { sendJson, stub } from './stub.ts';

const sandbox = await sandboxed({
  rows: 300,
  // Syncs and deletions advance only when they are polled, so the speed of this machine does not matter.
  pace: 3_600_000,
  data: { 'integration-assets': [{ symbol: 'ETH', amount: '1.000000000000000001' }, { symbol: 'BTC' }] },
});
beforeEach(() => sandbox.reset());
const { env } = sandbox;
const cli = (...args: string[]) => run(args, { env });
const rows = ({ stdout }: Result) => stdout.trimEnd().split('\n');

async function accounts(): Promise<Record<string, unknown>[]> {
  return JSON.parse((await cli('integrations', '--all', '--json')).stdout);
}
async function ids(): Promise<string[]> {
  return (await accounts()).map(({ walletId }) => String(walletId));
}
async function script(walletId: string, states: readonly string[]): Promise<void> {
  const url = `${sandbox.url}/_sandbox/integrations/${walletId}`;
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify({ states }) })).status).toBe(204);
}
const writes = () => sandbox.truth.requests().filter(({ method }) => method === 'POST');

describe('integrations list', () => {
  test('shows the status and times of each account, and "never" if lastSyncedAt is 0', async () => {
    const { code, stdout, stderr } = await cli('integrations', '--limit', '5');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^provider +account +status +category +type +transactions +added +last sync +walletId$/m,
    );
    expect(stdout).toMatch(/^Bitstamp .* COMPLETED .*2020-01-28 00:00:00 +never/m);
    expect(stderr).toBe('5 of 18 connected accounts shown. --all shows all of them.\n');
  });

  test('the first CSV columns of integrations are the fields from the specification', async () => {
    const { env } = await stub((_request, response) =>
      sendJson(
        response,
        200,
        '{"success":true,"data":[{"zz":12345678901234567890,"walletId":"w","status":"NEW"}]}',
      ),
    );
    const { stdout } = await run(['integrations', '--csv'], { env });
    expect(stdout).toBe(
      'providerId,isCustomWallet,provider,providerPublicName,publicAddress,walletId,logoUrl,isContract,alias,status,errorMessage,addedOn,lastSyncedAt,category,type,totalTransactions,zz\n,,,,,w,,,,NEW,,,,,,,12345678901234567890\n',
    );
  });

  test('escapes control characters in every field, including times', async () => {
    const hostile = JSON.stringify('\u001b]0;x\u0007\u202e');
    const fields = ['alias', 'status', 'errorMessage', 'lastSyncedAt', 'addedOn', 'walletId', 'provider'];
    const record = `{${fields.map((field) => `"${field}":${hostile}`).join(',')}}`;
    const { env } = await stub((_request, response) => sendJson(response, 200, `{"data":[${record}]}`));
    for (const args of [['integrations'], ['sync', 'status'], ['integrations', 'wait', '--timeout', '0']]) {
      const { stdout, stderr } = await run(args, { env });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that they are escaped
      expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u202e]/);
      expect(stdout).toContain('\\u001b]0;x');
    }
  });
});

test('the command "integrations assets" prints records unchanged, and exits with 5 for an unknown account', async () => {
  const [id = ''] = await ids();
  expect((await cli('integrations', 'assets', id, '--csv')).stdout).toBe(
    'symbol,amount\nETH,1.000000000000000001\nBTC,\n',
  );
  expect(await cli('integrations', 'assets', 'nosuch')).toMatchObject({ code: 5, stdout: '' });
});

describe('integrations alias-exists', () => {
  test('alias-exists --exit-code exits with 10 for a taken alias, and with 0 for a free alias', async () => {
    const taken = (await accounts()).map(({ alias }) => String(alias)).find((alias) => alias !== '') ?? '';
    const free = await cli('integrations', 'alias-exists', 'nobody', '--exit-code', '--json');
    expect({ ...free, stdout: JSON.parse(free.stdout) }).toEqual({
      code: 0,
      stdout: { success: true, data: false },
      stderr: '{"note":"The alias is free."}\n',
    });
    expect(await cli('integrations', 'alias-exists', taken, '--exit-code')).toMatchObject({
      code: 10,
      stderr: 'The alias is taken.\n',
    });
    expect((await cli('integrations', 'alias-exists', taken)).code).toBe(0);
    expect(asked(sandbox).at(-1)?.query).toEqual({ alias: taken });
    await cli('integrations', 'alias-exists', taken, '--parameter', 'name');
    expect(asked(sandbox).at(-1)?.query).toEqual({ name: taken });
  });

  test('never reports an alias as free if the response is unclear', async () => {
    const { env } = await stub((_request, response) => sendJson(response, 200, '{"available":true}'));
    const { code, stderr } = await run(['integrations', 'alias-exists', 'x'], { env });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'The response does not clearly show whether the alias is taken.\n',
    });
    const strict = await run(['integrations', 'alias-exists', 'x', '--exit-code', '--json'], { env });
    expect(strict.code).toBe(9);
    expect(JSON.parse(strict.stdout)).toEqual({ available: true });
    expect(messagesOf(strict.stderr)).toMatchObject({ error: { code: 'UNCLEAR_ANSWER' } });
  });
});

describe('integrations test-credentials', () => {
  const secret = 'sk-very-secret';
  const body = JSON.stringify({ providerId: 'kraken', keys: [{ apiKey: secret }] });

  test('the command "integrations test-credentials" sends stdin or a file unchanged', async () => {
    const file = join(temporary(), 'keys.json');
    writeFileSync(file, body);
    const received: string[] = [];
    const { env } = await stub((request, response) => {
      request.on('data', (part: Buffer) => received.push(part.toString()));
      request.on('end', () => sendJson(response, 200, '{"success":true,"data":{"ok":1}}'));
    });
    const piped = await run(['integrations', 'test-credentials', '--json'], { env, input: body });
    expect(piped).toMatchObject({
      code: 0,
      stderr: '{"note":"The service did not reject the credentials."}\n',
    });
    expect(JSON.parse(piped.stdout)).toEqual({ ok: 1 });
    expect((await run(['integrations', 'test-credentials', '-d', `@${file}`], { env })).code).toBe(0);
    expect(received).toEqual([body, body]);
  });

  test('warns about credentials on the command line, and masks them in a dry run', async () => {
    const { code, stdout, stderr } = await cli(
      'integrations',
      'test-credentials',
      '-d',
      body,
      '--dry-run',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ body: { providerId: '***', keys: [{ apiKey: '***' }] } });
    expect(messagesOf(stderr).warnings).toEqual([
      expect.stringMatching(/^other programs can see credentials on the command line/),
    ]);
    expect(stdout + stderr).not.toContain(secret);
    expect(writes()).toEqual([]);
  });

  test('exits with 7 and prints a hint if the credentials are rejected', async () => {
    const args = ['integrations', 'test-credentials', '-o', 'json'];
    const { code, stderr } = await run(args, { env, input: '{"apiKey":"rejected"}' });
    expect(code).toBe(7);
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: 'CREDENTIAL_VALIDATION_FAILED',
        status: 400,
        hint: expect.stringMatching(/providers get ID/),
      },
    });
  });

  test('rejects invalid JSON', async () => {
    expect(await run(['integrations', 'test-credentials'], { env, input: '{' })).toMatchObject({ code: 2 });
    expect(writes()).toEqual([]);
  });
});

describe('integrations batch-delete', () => {
  const remove = (...args: string[]) => cli('integrations', 'batch-delete', ...args);

  test('deletes accounts, and exits with 11 if some accounts cannot be deleted', async () => {
    const [first = '', second = ''] = await ids();
    const partly = await remove(first, 'wal_nosuch', '--field', 'ids', '--yes', '--json');
    expect(partly.code).toBe(11);
    expect(JSON.parse(partly.stdout)).toEqual({ failed: ['wal_nosuch'] });
    expect(JSON.parse(partly.stderr)).toMatchObject({
      error: {
        code: 'PARTIAL_FAILURE',
        message: '1 of 2 connected accounts could not be deleted: wal_nosuch: the service reports no reason',
      },
    });
    const table = await remove('wal_nosuch', '--field', 'ids', '--yes');
    expect(table.stdout).toBe('failed  1 item\n\nfailed\nitem\nwal_nosuch\n');
    const whole = await remove(second, second, '--field', 'ids', '--yes');
    expect(whole).toMatchObject({
      code: 0,
      stderr: 'The service accepted the deletion of 1 connected account.\n',
    });
    const wait = await cli('integrations', 'wait', second, '--jsonl');
    expect(wait.code).toBe(0);
    expect(rows(wait).map((line) => JSON.parse(line).status)).toEqual(['DELETING', 'DELETED']);
  });

  test.each<[string, string[], RegExp]>([
    [
      'confirmation',
      ['a', 'b', '--field', 'ids'],
      /^error: Confirmation required: Delete 2 connected accounts\?/,
    ],
    ['ids', ['--field', 'ids', '--yes'], /^error: No account ids were given/],
    ['a field name', ['a', '--yes'], /config set batch_delete_field NAME/],
    [
      'a single source for the ids',
      ['a', '-d', '{}', '--yes'],
      /^error: -d cannot be combined with ids or --field/,
    ],
  ])('sends nothing without %s', async (_, args, says) => {
    const { code, stdout, stderr } = await remove(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(says);
    expect(sandbox.truth.requests()).toEqual([]);
  });

  test('batch-delete --dry-run prints the body from -d, or a body with the ids in the field that batch.delete.field sets', async () => {
    const home = { ...env, CRYPTODATA_CONFIG_DIR: temporary() };
    await run(['config', 'set', 'batch.delete.field', 'walletIds'], { env: home });
    const args = ['integrations', 'batch-delete', '--dry-run', '--json'];
    const named = await run([...args, 'a', 'b'], { env: home });
    expect(JSON.parse(named.stdout)).toMatchObject({
      method: 'POST',
      url: `${sandbox.url}/v1/integrations/batch-delete`,
      headers: { Authorization: '***' },
      body: { walletIds: ['a', 'b'] },
    });
    const given = await run([...args, '-d', '["a",12345678901234567890]'], { env });
    expect(given.stdout).toMatch(/"body": \[\s*"a",\s*12345678901234567890\s*\]/);
    expect(sandbox.truth.requests()).toEqual([]);
  });

  test('does not retry a failed deletion', async () => {
    const { env, requests } = await stub((_request, response) => sendJson(response, 502, '{}'));
    expect(
      await run(['integrations', 'batch-delete', 'a', '--field', 'ids', '--yes'], { env }),
    ).toMatchObject({
      code: 9,
    });
    expect(requests).toHaveLength(1);
  });
});

describe('integrations wait', () => {
  test('prints each status change with its time, until the account reaches a final status', async () => {
    const [id = ''] = await ids();
    await script(id, ['QUEUED', 'SYNCING', 'COMPLETED']);
    const { code, stdout, stderr } = await cli('integrations', 'wait', id);
    expect(code).toBe(0);
    // The id of a sync appears only in the legs of that sync. The new sync has no legs yet, so its id is unknown.
    expect(stderr).toMatch(/^The latest sync of 1 account is unknown: /);
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;
    for (const [at, status] of ['QUEUED', 'SYNCING', 'COMPLETED'].entries()) {
      expect(stdout.split('\n')[at]).toMatch(new RegExp(`^${time}  ${status} +\\S.* \\(${id}\\)$`));
    }
  });

  test('the command "integrations wait" prints the reason for the status FAILED or INACTIVE, and exits with 11', async () => {
    const all = await accounts();
    const ended = all.filter(({ status }) => status === 'FAILED' || status === 'INACTIVE');
    const args = ['integrations', 'wait', ...ended.map(({ walletId }) => String(walletId)), '--json'];
    const { code, stdout, stderr } = await run(args, { env });
    expect(code).toBe(11);
    expect(JSON.parse(stdout)).toMatchObject(
      ended.map(({ walletId, status }) => ({ walletId, status, previous: null, record: { walletId } })),
    );
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ code: 'SYNC_FAILED' });
    expect(error.message).toContain('The exchange rejected the API key');
  });

  test.each([429, 500, 503])(
    'after repeated %i responses, the command "integrations wait" prints a note and continues',
    async (status) => {
      // The service fails more often than the transport retries. `retry_after` keeps the waits short.
      const { env, requests } = await stub((_request, response) => {
        if (requests.length <= 6) return sendJson(response, status, '{}', { retry_after: '0.01' });
        sendJson(
          response,
          200,
          '{"success":true,"data":[{"walletId":"w","status":"COMPLETED"}],"totalCount":1}',
        );
      });
      const { code, stdout, stderr } = await run(['integrations', 'wait', 'w', '--jsonl'], { env });
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ walletId: 'w', status: 'COMPLETED', previous: null });
      expect(messagesOf(stderr).notes[0]).toMatch(
        new RegExp(`answered ${status}\\)\\. Checking again in 1 s\\.`),
      );
    },
  );

  test('prints a complete JSON document and exits with 13 if the wait times out', async () => {
    const [id = ''] = await ids();
    await script(id, ['SYNCING']);
    const { code, stdout, stderr } = await cli('integrations', 'wait', id, '--timeout', '1s', '--json');
    expect(code).toBe(13);
    expect(JSON.parse(stdout)).toMatchObject([{ walletId: id, status: 'SYNCING' }]);
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ code: 'WAIT_TIMED_OUT', details: [{ id, status: 'SYNCING' }] });
    expect(error.message).toMatch(
      new RegExp(`^Timed out after 1 s of waiting: 1 of 1 account is not finished: .*\\(${id}\\): SYNCING$`),
    );
  });

  test('exits with 5 for an unknown account, and with 2 for an invalid timeout', async () => {
    expect(await cli('integrations', 'wait', 'nosuch')).toMatchObject({ code: 5, stdout: '' });
    expect(await cli('integrations', 'wait', '--timeout', '5x')).toMatchObject({ code: 2, stdout: '' });
  });
});
