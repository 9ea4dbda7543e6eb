import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { receiver } from '../sandbox/receiver.ts';
import { runHere } from './in-process.ts';

const signed = ['--secret-env', 'MINE', '--signature-header', 'x-mine', '--signature-encoding', 'base64'];
const exec = (args: readonly string[], script = '') =>
  runHere(['sandbox', 'exec', '--rows', '10', ...args, '--', process.execPath, '-e', script], {
    PATH: process.env['PATH'],
    MINE: 's3cret',
  });

const SEND = `
  const url = process.env.CRYPTODATA_BASE_URL + '/_sandbox/events';
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"event":"costbasis.started"}' };
  const arrived = async () => (await (await fetch(url)).json())[0].deliveries.every(({ state }) => state === 'delivered');
  fetch(url, init).then(async () => { while (!(await arrived())); });
`;

test('"sandbox exec" posts signed events to each --receiver', async () => {
  const [one, two] = [await receiver('/one'), await receiver('/two')];
  await exec(['--receiver', one.url, '--receiver', two.url, ...signed], SEND);
  expect([one.kinds(), two.kinds()]).toEqual([['costbasis.started'], ['costbasis.started']]);
  const [{ raw = '', headers = {} } = {}] = one.got;
  expect(headers['x-mine']).toBe(createHmac('sha256', 's3cret').update(raw).digest('base64'));
});

test.each([
  ['an invalid address', ['--receiver', 'example.com/hook'], /http or https address/],
  ['an unsupported scheme', ['--receiver', 'ftp://example.com/'], /http or https address/],
  ['a password in the address', ['--receiver', 'http://me:pass@127.0.0.1/'], /password/],
  [
    'an incomplete signature',
    signed.slice(2),
    /A signature requires --secret-env, --signature-header and --signature-encoding/,
  ],
  ['a secret variable that is not set', ['--secret-env', 'NONE', ...signed.slice(2)], /NONE/],
  ['an invalid header name', [...signed.slice(0, 3), 'a b', ...signed.slice(4)], /signature\.header/],
  ['an unsupported encoding', [...signed.slice(0, 5), 'base32'], /base64/],
])('"sandbox exec" rejects a receiver with %s', async (_, args, says) => {
  const failed = await exec(args).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failed).toMatchObject({ kind: 'usage' });
  expect(`${failed} ${Object(failed).hint}`).toMatch(says);
  expect(String(failed)).not.toContain('s3cret');
});
