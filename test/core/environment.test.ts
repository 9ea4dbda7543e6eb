import { MockAgent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { concealRequests } from '../../src/core/dispatcher.ts';
import {
  concealArguments,
  concealEnvironment,
  environmentWithoutSecrets,
  isCi,
} from '../../src/core/environment.ts';
import { Redactor } from '../../src/core/redact.ts';

describe('secrets in the environment', () => {
  const env = {
    CRYPTODATA_CLIENT_SECRET: 'the client secret',
    CRYPTODATA_ACCESS_TOKEN: 'the-access-token',
    CRYPTODATA_API_KEY: 'the-api-key',
    CRYPTODATA_PASSPHRASE: 'the passphrase',
    CRYPTODATA_PROFILE: 'the-profile',
    https_proxy: 'http://somebody:pa%24%24word@proxy:3128',
    HTTP_PROXY: 'other:without-scheme@proxy',
  };

  test('secrets from the environment are masked in output, including secrets in a proxy URL', () => {
    const redactor = new Redactor();
    concealEnvironment(env, redactor);
    for (const text of ['the client secret', 'the-access-token', 'the-api-key', 'the passphrase']) {
      expect(redactor.redact(`<${text}>`)).toBe('<***>');
    }
    const login = Buffer.from('somebody:pa$$word').toString('base64');
    expect(redactor.redact(`proxy said: ${login}, pa$$word, without-scheme`)).toBe(
      'proxy said: ***, ***, ***',
    );
    expect(redactor.redact('the-profile at proxy:3128')).toBe('the-profile at proxy:3128');
  });

  test('variables with secrets are hidden from a child process, but HOME, PATH and proxy settings are kept', () => {
    const redactor = new Redactor();
    concealEnvironment(env, redactor);
    redactor.conceal('from-the-keychain');
    const given = {
      ...env,
      MY_TOKEN: 'the-access-token',
      HEADERS: 'x-api-key: the-api-key',
      OTHER: 'from-the-keychain',
      HOME: '/home/from-the-keychain',
      PATH: '/opt/the-api-key/bin',
      HARMLESS: 'yes',
    };
    expect(environmentWithoutSecrets(given, redactor)).toEqual({
      CRYPTODATA_PROFILE: 'the-profile',
      https_proxy: env.https_proxy,
      HTTP_PROXY: env.HTTP_PROXY,
      HOME: '/home/from-the-keychain',
      PATH: '/opt/the-api-key/bin',
      HARMLESS: 'yes',
    });
  });
});

function isConcealed(line: string): boolean {
  const redactor = new Redactor();
  concealArguments(line.split(' '), redactor);
  const [typed = ''] = /-?9?typed-by-mistake/.exec(line) ?? [];
  return redactor.holds(typed);
}

test.each([
  'login --client-secret typed-by-mistake',
  'config set api_key typed-by-mistake',
  'config set api_key=typed-by-mistake',
  'ledgers --token=typed-by-mistake',
  'ledgers --token typed-by-mistake',
  'login --api-key -9typed-by-mistake',
  'login --client-secret=-typed-by-mistake',
  'ledgers -q client_secret=typed-by-mistake',
])('a value is masked if its name suggests a secret: %s', (line) => {
  expect(isConcealed(line)).toBe(true);
});

test.each([
  'ledgers -q token=typed-by-mistake',
  'txns --token-id typed-by-mistake',
  'login --client-secret --workspace=typed-by-mistake',
  'login --with-api-key --workspace typed-by-mistake',
  'sandbox exec --credential api-key typed-by-mistake',
])('a value is not masked if its name suggests no secret: %s', (line) => {
  expect(isConcealed(line)).toBe(false);
});

describe('outgoing requests', () => {
  async function sent(options: {
    headers?: Record<string, string> | string[];
    body?: string;
    path?: string;
  }) {
    const agent = new MockAgent();
    agent.disableNetConnect();
    onTestFinished(() => agent.close());
    const service = agent.get('https://api.example.com');
    service.intercept({ path: () => true, method: 'POST' }).reply(200, 'the answer');
    const redactor = new Redactor();
    const { body } = await concealRequests(agent, redactor).request({
      origin: 'https://api.example.com',
      path: options.path ?? '/v1/x',
      method: 'POST',
      headers: options.headers ?? {},
      body: options.body ?? null,
    });
    expect(await body.text()).toBe('the answer');
    return (text: string) => redactor.holds(text);
  }

  test('the credentials in the headers of a request are registered for redaction', async () => {
    const holds = await sent({ headers: { Authorization: 'Bearer opaque-1', 'X-Client-Id': 'harmless' } });
    expect([holds('opaque-1'), holds('Bearer'), holds('harmless')]).toEqual([true, false, false]);
    const flat = await sent({ headers: ['x-api-key', 'opaque-2', 'accept', 'application/json'] });
    expect([flat('opaque-2'), flat('application/json')]).toEqual([true, false]);
  });

  test('secret fields in a form, in JSON and in a query are registered for redaction', async () => {
    const form = await sent({
      headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
      body: 'grant_type=authorization_code&code=a%20code&code_verifier=verify&client_secret=s%2Bs&token=t1',
    });
    expect(['a code', 'verify', 's+s', 't1'].map(form)).toEqual([true, true, true, true]);
    expect(form('authorization_code')).toBe(false);
    const json = await sent({
      headers: { 'content-type': 'application/json' },
      body: '{"keys":[{"apiKey":"k1","secretKey":"k2","name":"n"}],"code":"c"}',
    });
    expect(['k1', 'k2', 'n', 'c'].map(json)).toEqual([true, true, false, false]);
    const query = await sent({ path: '/v1/x?api_key=q1&limit=50' });
    expect([query('q1'), query('50')]).toEqual([true, false]);
    // In a data query, `token` and `code` usually identify an asset. Masking them would hide the asset in every response.
    const asset = await sent({ path: '/v1/x?token=0xdac17f958d2ee523&code=usd-coin' });
    expect([asset('0xdac17f958d2ee523'), asset('usd-coin')]).toEqual([false, false]);
    await sent({ headers: { 'content-type': 'application/json' }, body: 'not JSON' });
  });
});

test('isCi() is false if the variable CI is missing, empty, 0 or false, and otherwise true', () => {
  for (const CI of ['true', '1', 'woodpecker']) expect(isCi({ CI }), CI).toBe(true);
  for (const CI of ['false', 'FALSE', '0', '', undefined]) expect(isCi({ CI }), CI).toBe(false);
});
