// Runs the commands that take an id. The service in these tests ignores the id, and returns a record that the test chooses.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endHere } from './in-process.ts';

let data: unknown;
const server = createServer((_, response) => {
  response.end(JSON.stringify({ success: true, data, meta: { total: 1, limit: 50, offset: 0 } }));
});
let env: NodeJS.ProcessEnv = {};

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  env = { CRYPTODATA_BASE_URL: address, CRYPTODATA_ACCESS_TOKEN: 'token' };
});
afterAll(() => server.close());

describe.each([
  { line: 'txns ledgers wanted', field: 'transactionId', isList: true },
  { line: 'integrations assets wanted', field: 'walletId', isList: true },
  { line: 'ledgers get wanted', field: 'id', isList: false },
  { line: 'providers get wanted', field: 'id', isList: false },
])('$line', ({ line, field, isList }) => {
  const served = (id: string) => {
    const record = { id: 'row', slug: 'slug', name: 'name', [field]: id };
    data = isList ? [record] : record;
  };

  test('accepts a record with the requested id', async () => {
    served('wanted');
    expect((await endHere([...line.split(' '), '--json'], env)).error).toBeUndefined();
  });

  test('rejects a record if its id differs from the requested id, and prints no record', async () => {
    served('foreign');
    const { error, stdout } = await endHere([...line.split(' '), '--jsonl'], env);
    expect(error).toMatchObject({
      kind: 'unverified',
      code: 'WRONG_RECORD',
      message: expect.stringContaining('does not belong to the requested id wanted'),
    });
    expect(stdout).toBe('');
  });
});
