import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVENT_KINDS } from '../../src/events/kinds.ts';
import { sample } from '../../src/events/sample.ts';
import {
  UnverifiedError,
  UpstreamError,
  UsageError,
  verifyWebhook,
  type WebhookEvent,
} from '../../src/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';

const header = 'X-Signature';
const secret = 'agreed';
const NOW = Date.UTC(2025, 5, 1);
const RUN = {
  id: 'whd_1',
  event: 'costbasis.completed',
  timestamp: new Date(NOW).toISOString(),
  grant_id: 'cgrant_1',
  workspace_id: 'ws_1',
  data: { action: 'ACCOUNT_MANAGER', status: 'completed', reason: null, timestamp: NOW },
};

function sign(body: string | Uint8Array, encoding: 'hex' | 'base64' = 'hex') {
  return { 'x-signature': createHmac('sha256', secret).update(body).digest(encoding) };
}

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

const text = JSON.stringify(RUN);

test('verifyWebhook accepts a body as bytes or text, and headers as an object or Headers', () => {
  for (const body of [text, Buffer.from(text)]) {
    for (const headers of [
      sign(body),
      { 'X-SIGNATURE': sign(body)['x-signature'] },
      new Headers(sign(body)),
    ]) {
      expect(verifyWebhook(body, headers, secret, { header })).toEqual(RUN);
    }
    expect(verifyWebhook(body, sign(body, 'base64'), secret, { header, encoding: 'base64' })).toEqual(RUN);
  }
});

test('verifyWebhook keeps unknown fields, unknown events and every digit of a number', () => {
  const body = `{"id":"whd_2","event":"new.event","timestamp":"2025-06-01T00:00:00Z","grant_id":"g","workspace_id":null,"data":{"n":12345678901234567890},"more":1}`;
  const event = verifyWebhook(body, sign(body), secret, { header });
  expect(event).toMatchObject({ event: 'new.event', more: 1 });
  expect(String(Object(event.data).n)).toBe('12345678901234567890');
});

test('verifyWebhook rejects an altered body, signature or secret', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), (body, at) => {
      const given = sign(body)['x-signature'];
      const index = at % given.length;
      const other = given[index] === '0' ? '1' : '0';
      const wrong = given.slice(0, index) + other + given.slice(index + 1);
      const bad = [
        () => verifyWebhook(body, { 'x-signature': wrong }, secret, { header }),
        () => verifyWebhook(Buffer.concat([body, Buffer.from(' ')]), sign(body), secret, { header }),
        () => verifyWebhook(body, sign(body), `${secret}x`, { header }),
      ];
      for (const work of bad) {
        const error = thrown(work);
        expect(error).toBeInstanceOf(UnverifiedError);
        expect(error).toMatchObject({ code: 'SIGNATURE_WRONG' });
      }
    }),
  );
});

test.each<[string, Record<string, string | string[] | undefined>]>([
  ['a missing header', {}],
  ['another header', { signature: sign(text)['x-signature'] }],
  ['two values in one header', { 'x-signature': [sign(text)['x-signature'], 'x'] }],
  ['the header twice', { ...sign(text), 'X-Signature': sign(text)['x-signature'] }],
])('verifyWebhook rejects a request with %s', (_, headers) => {
  expect(thrown(() => verifyWebhook(text, headers, secret, { header }))).toMatchObject({
    name: 'UnverifiedError',
    code: 'SIGNATURE_MISSING',
  });
});

test.each([
  [0, 0],
  [1000, 1000],
  [-1000, 1000],
])('verifyWebhook accepts a delivery that is %i ms old if the tolerance is %i ms', (age, tolerance) => {
  const options = { header, tolerance, now: NOW + age };
  expect(verifyWebhook(text, sign(text), secret, options)).toEqual(RUN);
});

test.each([1001, -1001])(
  'verifyWebhook rejects a delivery that is %i ms old if the tolerance is 1,000 ms',
  (age) => {
    const options = { header, tolerance: 1000, now: NOW + age };
    expect(thrown(() => verifyWebhook(text, sign(text), secret, options))).toMatchObject({
      name: 'UnverifiedError',
      code: 'DELIVERY_TOO_OLD',
    });
  },
);

test('verifyWebhook reads a time without an offset as UTC', () => {
  const before = process.env['TZ'];
  process.env['TZ'] = 'America/New_York';
  try {
    const body = JSON.stringify({ ...RUN, timestamp: new Date(NOW).toISOString().replace('Z', '') });
    const options = { header, tolerance: 0, now: NOW };
    expect(verifyWebhook(body, sign(body), secret, options)).toMatchObject({ id: RUN.id });
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
});

test('verifyWebhook rejects a delivery without a valid time if a tolerance is set', () => {
  const body = JSON.stringify({ ...RUN, timestamp: 'yesterday' });
  const code = 'BAD_DELIVERY';
  expect(thrown(() => verifyWebhook(body, sign(body), secret, { header, tolerance: 1e9 }))).toMatchObject({
    code,
  });
});

test.each(['', 'no JSON', '[]', '"text"', '\ufffd{'])(
  'verifyWebhook rejects the signed body %j, which is not a delivery',
  (body) => {
    expect(thrown(() => verifyWebhook(body, sign(body), secret, { header }))).toMatchObject({
      name: 'UnverifiedError',
      code: 'BAD_DELIVERY',
    });
  },
);

test.each([
  ['id', { ...RUN, id: 1 }],
  ['data.status', { ...RUN, data: { status: 7 } }],
  ['data', { ...RUN, data: null }],
])('verifyWebhook reports the field %s if the field has the wrong type', (field, delivery) => {
  const body = JSON.stringify(delivery);
  const error = thrown(() => verifyWebhook(body, sign(body), secret, { header }));
  expect(error).toBeInstanceOf(UpstreamError);
  expect(error).toMatchObject({
    code: 'BAD_RECORD',
    message: `The field "${field}" of the delivery has an unexpected value`,
  });
});

test.each([
  ['grant_id', { ...RUN, grant_id: undefined }],
  ['data.walletId', { ...RUN, event: 'integration.failed', data: {} }],
])('verifyWebhook reports the field %s if the field is missing', (field, delivery) => {
  const body = JSON.stringify(delivery);
  const error = thrown(() => verifyWebhook(body, sign(body), secret, { header }));
  expect(error).toMatchObject({
    code: 'BAD_RECORD',
    message: `The field "${field}" of the delivery is missing`,
  });
});

test('verifyWebhook throws UsageError for a parsed body, an empty secret or an unknown encoding', () => {
  const parsed: unknown = RUN;
  const wrong = [
    () => verifyWebhook(parsed as string, sign(text), secret, { header }),
    () => verifyWebhook(text, sign(text), '', { header }),
    () => verifyWebhook(text, sign(text), secret, { header, encoding: 'base32' as 'hex' }),
    () => verifyWebhook(text, sign(text), secret, { header, tolerance: -1 }),
  ];
  for (const work of wrong) expect(thrown(work)).toBeInstanceOf(UsageError);
});

test('verifyWebhook accepts every kind of delivery that the sandbox sends', async () => {
  const received: WebhookEvent[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    received.push(verifyWebhook(body, request.headers, secret, { header }));
    response.end();
  }).listen(0, '127.0.0.1');
  await using sandbox = await createSandbox({ rows: 10, signature: { secret, header, encoding: 'hex' } });
  try {
    sandbox.events.addReceiver(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    for (const { event } of EVENT_KINDS) {
      sandbox.events.emit(
        event as 'costbasis.failed',
        sample(event, { now: NOW, unique: () => event })['data'] as never,
      );
    }
    await sandbox.events.settled();
    expect(received.map(({ event }) => event).sort()).toEqual(EVENT_KINDS.map(({ event }) => event).sort());
  } finally {
    server.close();
  }
});
