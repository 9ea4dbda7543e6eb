import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ERROR_CATALOGUE } from '../../src/api/errors.ts';
import { MASK, Redactor, SHORTEST } from '../../src/core/redact.ts';
import { isSecretName } from '../../src/core/secret-names.ts';
import { showText } from '../../src/core/text.ts';
import { runs } from '../runs.ts';

function redactorOf(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.conceal(secret);
  return redactor;
}

const form = (text: string) => new URLSearchParams({ a: text }).toString().slice(2);
const json = (text: string) => JSON.stringify(text).slice(1, -1);

/** The encodings in which a service, a library or the tool may repeat a secret. */
const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  percent: encodeURIComponent,
  'percent in lower case': (text) => encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
  'percent twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  form,
  json,
  'json in json': (text) => json(json(text)),
  'json without a raw slash': (text) => json(text).replaceAll('/', '\\/'),
  'json in a form': (text) => form(json(text)),
  terminal: showText,
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 in a form': (text) => form(Buffer.from(text).toString('base64')),
  'base64 behind a user name': (text) => Buffer.from(`user:${text}`).toString('base64'),
  'base64url inside a longer text': (text) => Buffer.from(`{"a":"${text}"}`).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  HEX: (text) => Buffer.from(text).toString('hex').toUpperCase(),
};

// These secrets contain no asterisks, because an asterisk next to the mask would look like part of the mask.
const secretText = (unit: fc.Arbitrary<string>) =>
  fc
    .string({ unit, minLength: SHORTEST, maxLength: 80 })
    .filter((text) => text.trim().length >= SHORTEST && substantial(text).length >= 6 && !text.includes('*'));
/** Removes escapes and whitespace. If too few characters remain, the secret cannot be found in every encoding. */
const substantial = (text: string) =>
  text.replace(/\\[\da-z]|%[\da-f]{2}|&#?\w+;/gi, '').replace(/[\s+\\\p{Cc}\p{Cf}]/gu, '');
const alphabet = (characters: string) => fc.constantFrom(...characters);
const secret = fc
  .oneof(
    secretText(alphabet('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')),
    secretText(alphabet(' "\\\'&<>%+/=?#@:;,.!ab\n\t1u2nc{}')),
    secretText(fc.constantFrom('grapheme', 'binary').chain((unit) => fc.string({ unit, size: 'xsmall' }))),
  )
  .filter((text) => !/\p{Cs}/u.test(text));
const around = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('{"error":"', '&state=', ' Bearer ', 'x'),
);

/** Returns the six-character parts of a secret that occur in the redacted text, but not in the surrounding text. */
function leaks(redacted: string, hidden: string, around: string): string[] {
  const parts = Array.from({ length: Math.max(0, hidden.length - 5) }, (_, at) => hidden.slice(at, at + 6));
  return parts.filter((part) => redacted.includes(part) && !around.includes(part));
}

describe('a known secret', () => {
  test('a known secret is masked if tildes, dots and dashes are percent-encoded', () => {
    const hidden = 'ab~cd.ef-gh_ij';
    expect(redactorOf(hidden).redact(`client_secret_=${form(hidden)}&x=1`)).toBe(
      `client_secret_=${MASK}&x=1`,
    );
    expect(redactorOf(hidden).redact('x=ab%7ecd%2Eef%2dgh%5Fij')).toBe(`x=${MASK}`);
  });

  test.each(Object.entries(SPELLINGS))('a known secret is masked when written as %s', (name, spell) => {
    fc.assert(
      fc.property(secret, around, around, (hidden, before, after) => {
        const redacted = redactorOf(hidden).redact(before + spell(hidden) + after);
        expect(redacted).not.toContain(spell(hidden));
        expect(redacted).toContain(MASK);
        // Whitespace around a secret is not masked. If a longer text is encoded in base64, only the secret in it is masked.
        if (hidden === hidden.trim() && !/ behind | inside /.test(name))
          expect(leaks(redacted, spell(hidden), before + after)).toEqual([]);
      }),
    );
  });

  test('masks a known secret with U+017F or U+212A, which match s and k if case is ignored', () => {
    const hidden = 'pa\u017f\u017fword\u212a';
    expect(redactorOf(hidden).redact(`x=${encodeURIComponent(hidden)}&y=1`)).toBe(`x=${MASK}&y=1`);
  });

  test('known secrets that overlap are all masked', () => {
    fc.assert(
      fc.property(fc.array(secret, { minLength: 2, maxLength: 4 }), fc.array(around), (secrets, texts) => {
        const text = secrets.flatMap((one, at) => [one, one.slice(at), texts[at] ?? '']).join('');
        const redacted = redactorOf(...secrets).redact(text);
        for (const one of secrets) expect(redacted).not.toContain(one);
      }),
    );
  });

  test('a truncated secret is masked if at least six of its characters remain', () => {
    fc.assert(
      fc.property(secret, around, fc.nat(), (hidden, before, cut) => {
        for (const spell of [SPELLINGS['raw'], SPELLINGS['percent'], SPELLINGS['json']]) {
          const whole = spell?.(hidden.trim()) ?? '';
          const part = whole.slice(0, 6 + (cut % Math.max(1, whole.length - 6)));
          const redacted = redactorOf(hidden).redact(`${before}${part}… (GET /v1/x answered 400)`);
          expect(redacted).not.toContain(`${part}…`);
          expect(leaks(redacted, part, before)).toEqual([]);
        }
      }),
    );
  });

  test('a known secret is masked when most of its characters are escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: alphabet('+ \\\n'), minLength: 12 }), around, (text, before) => {
        const hidden = `a${text}b`;
        for (const spelled of [hidden, encodeURIComponent(hidden), json(hidden)]) {
          const redacted = redactorOf(hidden).redact(before + spelled);
          expect(redacted).not.toContain(spelled);
          expect(leaks(redacted, spelled, before)).toEqual([]);
        }
      }),
    );
  });

  test('a known secret that consists of digits is not masked inside a longer number', () => {
    const redactor = redactorOf('12345678');
    const text = '{"amount":0.12345678,"time":1712345678,"x":12345678.5,"y":"12 345 678"}';
    expect(redactor.redact(text)).toBe(text);
    expect(redactor.redact('pin 12345678. pin=12345678')).toBe('pin ***. pin=***');
  });

  test('every occurrence of a known secret is masked in a text of several lines', () => {
    const text = 'one hunter2hunter2\ntwo hunter2hunter2, hunter2hunter2hunter2hunter2\n';
    expect(redactorOf('hunter2hunter2').redact(text)).toBe('one ***\ntwo ***, ***\n');
  });

  test('a known secret that ends with a line break is also masked without the line break', () => {
    expect(redactorOf('long enough\n').redact('say long enough!')).toBe('say ***!');
  });

  test('a known secret is masked once: a second pass changes nothing', () => {
    const redactor = redactorOf('p/q+r&s t "u"');
    const text = 'before p/q+r&s t "u" after';
    expect(redactor.redact(text)).toBe('before *** after');
    expect(redactor.redact(redactor.redact(text))).toBe('before *** after');
  });

  test('masking a secret in JSON keeps the JSON valid and keeps every digit', () => {
    fc.assert(
      fc.property(secret, fc.jsonValue(), (hidden, value) => {
        const text = `${JSON.stringify({ error: { details: [value, hidden, { password: 1, [hidden]: 2 }] } })}\n`;
        const redacted = redactorOf(hidden, '12345678').redact(text);
        expect(() => JSON.parse(redacted)).not.toThrow();
        expect(redacted.endsWith('}\n')).toBe(true);
        expect(leaks(redacted, json(hidden.trim()), JSON.stringify(value))).toEqual([]);
      }),
    );
    const text = '{"time":12345678,"exact":0.9876543210987654321098765,"secret":12}';
    expect(redactorOf('12345678').redact(text)).toBe(
      '{"time":"***","exact":0.9876543210987654321098765,"secret":"***"}',
    );
  });

  test('a known secret shorter than eight characters is masked only as the value of a secret field', () => {
    const text = 'A short secret is seen: as in the sandbox';
    for (const short of ['s', 'as', 'short', 'sandbox', '   s    ', '']) {
      expect(redactorOf(short).redact(text)).toBe(text);
    }
    expect(redactorOf('s').redact('client_secret=s&x=s')).toBe('client_secret=***&x=s');
  });

  test('holds() finds a known secret in plain and in encoded form', () => {
    const redactor = redactorOf('short', 'long enough to find');
    expect(
      ['short', 'long enough to find', 'x=long%20enough%20to%20find'].map((v) => redactor.holds(v)),
    ).toEqual([true, true, true]);
    expect(['shorter', 'long', '', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln'].map((v) => redactor.holds(v))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test('the redactor learns the values of JSON fields whose names suggest secrets', () => {
    const redactor = new Redactor();
    redactor.concealMembers({
      keys: [{ apiKey: 'exchange-key-1', name: 'harmless name' }],
      secret: { a: 1 },
    });
    expect(redactor.redact('exchange-key-1 of harmless name')).toBe('*** of harmless name');
  });
});

describe('a long secret', () => {
  const LONG = {
    slashes: 'x/'.padEnd(4000, '/'),
    'line breaks': `x${'\n'.repeat(18_000)}y`,
    'one letter': 'a'.repeat(18_000),
    'a JSON web token': `eyJhbGciOiJSUzI1NiJ9.${Buffer.from(JSON.stringify({ picture: 'iVBORw0KGgo/+'.repeat(1000) })).toString('base64url')}.c2ln`,
  };

  test.each(Object.entries(LONG))('a known secret of thousands of characters is masked: %s', (_, hidden) => {
    const redactor = redactorOf(hidden);
    for (const name of ['raw', 'percent', 'percent twice', 'json in json', 'base64', 'HEX']) {
      expect(redactor.redact(`{ ${SPELLINGS[name]?.(hidden)} }`)).toBe(`{ ${MASK} }`);
    }
    expect(redactor.redact(`it starts: ${hidden.slice(0, 500)}… (GET /v1/x)`)).toBe(
      `it starts: ${MASK}… (GET /v1/x)`,
    );
    expect(redactor.holds(`x=${encodeURIComponent(hidden)}`)).toBe(true);
  });

  test('a token of millions of characters in a JSON text is masked, and the JSON stays valid', () => {
    const text = JSON.stringify({ id: 'led_1', note: `eyJ${'a'.repeat(8_000_000)}.aaaaaa.` });
    expect(JSON.parse(new Redactor().redact(text))).toEqual({ id: 'led_1', note: MASK });
  });
});

describe('a login URL', () => {
  const url =
    'https://auth.example.com/oidc/auth?response_type=code&client_id=acme-books&redirect_uri=http%3A%2F%2F127.0.0.1%3A8976%2Fcallback&scope=openid%20profile&state=Zm9vYmFyYmF6&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256';

  test('a login URL is not masked, because state and challenge are not secrets', () => {
    expect(new Redactor().redact(`Open this address to log in:\n\n  ${url}\n`)).toContain(`  ${url}\n`);
  });

  test('after permit(), a login URL is not masked if it contains a known secret', () => {
    const redactor = redactorOf('callback', 'acme-books');
    expect(redactor.redact(url)).not.toBe(url);
    redactor.permit(url);
    expect(redactor.redact(`${url} callback`)).toBe(`${url} ***`);
  });
});

describe('an unknown secret', () => {
  const JWT = 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJ1c3JfMSJ9.c2lnbmF0dXJl';

  test.each([
    [`the token ${JWT} ran out`, 'the token *** ran out'],
    [`{"token":"\\n${JWT}"}`, '{"token":"\\n***"}'],
    [`x=%22${JWT}%22`, 'x=%22***%22'],
    [`cut: ${JWT.slice(0, 60)}… (500)`, 'cut: ***… (500)'],
    ['Authorization: Bearer abc123', 'Authorization: Bearer ***'],
    ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic ***'],
    ['authorization: opaque1', 'authorization: ***'],
    ['authorization: Digest username="me"', 'authorization: ***"me"'],
    ["the header 'Bearer hunter2' was refused", "the header 'Bearer ***' was refused"],
    ['sent Basic dXNlcjpwYXNz there', 'sent Basic *** there'],
    ['<td>Bearer abc.def-ghi</td>', '<td>Bearer ***</td>'],
    ['x-api-key: key_1234, x-client-secret: s', 'x-api-key: ***, x-client-secret: ***'],
    ['set-cookie: sid=1; Path=/', 'set-cookie: ***'],
    [
      'grant_type=refresh_token&refresh_token=abc&client_secret=s&client_id=c',
      'grant_type=refresh_token&refresh_token=***&client_secret=***&client_id=c',
    ],
    ['a=b&code=abc&code_verifier=def', 'a=b&code=***&code_verifier=***'],
    ['GET /callback?code=abc&state=def', 'GET /callback?code=***&state=def'],
    [
      '/v1/x?apiKey=abc&limit=5&sig-key=f81d4fae7dec11d0#e&token=f81d4fae7dec11d0',
      '/v1/x?apiKey=***&limit=5&sig-key=***#e&token=***',
    ],
    ['{"access_token":"a","expires_in":3}', '{"access_token":"***","expires_in":3}'],
    ['{"clientSecret" : "a\\"b", "id":"c"}', '{"clientSecret" : "***", "id":"c"}'],
    ['{"body":"{\\"password\\":\\"abc\\",\\"a\\":1}"}', '{"body":"{\\"password\\":\\"***\\",\\"a\\":1}"}'],
    ['{ apiKey: \'abc\', "passphrase": "d" }', '{ apiKey: \'***\', "passphrase": "***" }'],
    ["error: unknown option '--client-secret=abc'", "error: unknown option '--client-secret=***'"],
    ["error: unknown option '--token=abc'", "error: unknown option '--token=***'"],
    ['CRYPTODATA_ACCESS_TOKEN=abc ./job', 'CRYPTODATA_ACCESS_TOKEN=*** ./job'],
    ['proxy http://user:pa@ss@proxy:3128/ is off', 'proxy http://***@proxy:3128/ is off'],
    ['https://token@host/x', 'https://***@host/x'],
    ['Authorization: Bearer correct-horse-battery', 'Authorization: Bearer ***'],
    ['sent Bearer aaa-aaaaaaaaaaa', 'sent Bearer ***'],
  ])('an unknown secret is masked because of its name or form: %s', (text, redacted) => {
    expect(new Redactor().redact(text)).toBe(redacted);
  });

  test.each([
    [
      'Basic',
      fc.tuple(
        fc.constant('Basic '),
        fc.string({ minLength: 3 }).map((text) => Buffer.from(`u:${text}`).toString('base64')),
      ),
    ],
    ['Bearer', fc.tuple(fc.constant('Bearer '), fc.stringMatching(/^[A-Za-z0-9]{3}[\w.~+/=-]{12,60}$/))],
    [
      'a JWT',
      fc.tuple(
        fc.constant(' '),
        fc
          .tuple(fc.uint8Array({ minLength: 12 }), fc.uint8Array({ minLength: 12 }))
          .map(
            ([payload, signature]) =>
              `eyJhbGciOiJSUzI1NiJ9.${Buffer.from(payload).toString('base64url')}.${Buffer.from(signature).toString('base64url')}`,
          ),
      ),
    ],
    [
      'a form',
      fc.tuple(
        fc.constantFrom('client_secret=', 'x&refresh_token=', '?code='),
        fc
          .string({ minLength: 3 })
          .map(form)
          .filter((text) => text.length > 2),
      ),
    ],
    [
      'JSON',
      fc.tuple(
        fc.constantFrom('"client_secret":"', '{"apiKey": "'),
        fc.string({ minLength: 3, unit: 'binary' }).map(json),
      ),
    ],
  ] as const)('an unknown secret is masked in %s', (_, arbitrary) => {
    fc.assert(
      fc.property(arbitrary as fc.Arbitrary<[string, string]>, fc.string(), ([name, value], before) => {
        fc.pre(!value.includes('*'));
        const redacted = new Redactor().redact(`${before} ${name}${value}" `);
        expect(redacted.slice(-(name.length + MASK.length + 2))).toBe(`${name}${MASK}" `);
      }),
    );
  });

  test('an unknown secret is recognised by its field name in any spelling', () => {
    const secrets = [
      'Authorization',
      'X-API-Key',
      'x-client-secret',
      'clientSecret',
      'refresh_token',
      'PASSWORD',
      'secretKey',
      'codeVerifier',
      'Set-Cookie',
    ];
    for (const name of secrets) expect([name, isSecretName(name)]).toEqual([name, true]);
    const open = [
      'code_challenge',
      'state',
      'tokenId',
      'token_type',
      'apiKeyRequired',
      'scope',
      'X-Client-Id',
      'code',
    ];
    for (const name of open) expect([name, isSecretName(name)]).toEqual([name, false]);
  });
});

describe('redaction', () => {
  test('redaction does not change text without secrets', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), secret, (text, hidden) => {
        fc.pre(!/[:=@]|bearer|basic/i.test(text) && !text.includes(hidden.trim()) && !text.includes('…'));
        expect(redactorOf(hidden).redact(text)).toBe(text);
      }),
    );
  });

  test.each([
    '[debug] GET https://api.example.com/v1/ledgers?limit=50&offset=100&assetId=a 200 12 ms, try 2, again in 250 ms',
    '{"error":{"code":"NOT_LOGGED_IN","message":"Profile default is not logged in","status":null}}',
    'cursor=eyJpZCI6MTIzNDU2Nzg5LCJ0IjoxfQ&limit=5',
    'www-authenticate: Bearer realm="data", error="invalid_token", scope="users:read"',
    'Invalid bearer token. The Bearer token is not valid; basic plan, Basic authentication',
    'apiKey: Required; credentials.password: must be at least 8 characters',
    'token_type=Bearer&expires_in=86400',
    '[debug] GET https://api.example.com/v1/x?token=ETH&sortKey=date&key=name&code_challenge=x 200 1 ms',
    'GET /v1/x?token=0xdAC17F958D2ee523a2206206994597C13D831ec7&limit=1',
    'Authorization: needed for GET /v1/x (HTTP 401)',
    'Authorization: missing',
    'x-api-key: required',
    'Bearer expired; Bearer invalid. Bearer missing',
    '{"error":{"details":{"password":"must be 8 long","apiKey":"is required, 10 to 64"}}}',
    '{"details":"{\\"password\\":\\"must be 8 long\\"}"}',
    '    at Object.<anonymous> (file:///app/node_modules/@inquirer/prompts/dist/index.js:12:5)',
    'The keychain entry default:refresh-token is incomplete',
    'Set CRYPTODATA_KEYCHAIN=file, or write to help@example.com: see https://example.com/a?b=c@d',
  ])('redaction does not change %s', (text) => {
    expect(new Redactor().redact(text)).toBe(text);
  });

  test('redaction does not change any text in the error catalogue', () => {
    for (const { means, next } of ERROR_CATALOGUE) {
      for (const text of [means, next]) expect(new Redactor().redact(text)).toBe(text);
    }
  });
});

/** Processor time of this process in milliseconds, independent of the load of the machine. */
function cost(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('redaction time', () => {
  const LENGTH = 5000;

  function expectLinear(redactor: Redactor, head: string, unit: string): void {
    const text = (length: number) => head + unit.repeat(Math.ceil(length / unit.length));
    const [short, long] = [text(LENGTH), text(8 * LENGTH)];
    expectRatio(
      JSON.stringify([head, unit]),
      () => redactor.redact(short),
      () => redactor.redact(long),
    );
  }

  /**
   * Compares the CPU time for an input with the CPU time for an input eight times as long. Uses the fastest of several runs.
   * Passes without a comparison if the time is too short to measure.
   */
  function expectRatio(name: string, short: () => unknown, long: () => unknown): void {
    let [atShort, atLong] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      atLong = Math.min(atLong, cost(long));
      if (atLong < 60) return;
      atShort = Math.min(atShort, cost(short));
      // For a text eight times as long, quadratic growth takes 64 times as long, and cubic growth takes 512 times as long.
      if (atLong / Math.max(atShort, 2.5) < 24) return;
    }
    expect.fail(`${name}: ${atShort} ms, then ${atLong} ms`);
  }

  const secrets = [
    '/abcDEF123+ghi456789',
    '"""quoted"""',
    'a+b /c\\d"e=f^g',
    'correct horse battery \\\\ staple++',
    'Zm9vYmFyYmF6cXV4',
    'aaaaaaaaaaaa',
    '%25%25%25%25%25',
    '12345678',
  ];
  const units = [
    ...['\\', ' ', '+', '…', '...', '%25', '%2525', '%5C', '&amp;', '&#', '&#43;', '\\u005c', '\u200b', '\0'],
    ...['eyJ', 'u0000eyJ', '%22eyJ', '\\neyJ', '\\u0000eyJ', 'eyJaaaaaaaaaaaa.', '-eyJ', ' eyJ'],
    ...[
      'secret',
      'secret=',
      'secret":"',
      "secret':'",
      'secret\\":\\"',
      'password"',
      'secret%3D',
      'token=',
      'code=a',
    ],
    ...[
      '?key',
      '&key=',
      '%26key%3d',
      '?token=',
      '&token=a',
      'a://',
      'a://b@',
      'a+',
      'https://a:b',
      'x-api-key:',
    ],
    ...[
      'bearer ',
      'bearer+',
      'bearer auth',
      'bearer%20',
      'basic ',
      'basic+',
      'cookie:',
      'authorization: bearer ',
    ],
    ...['Zm9vYmFy', 'YWFhYWFh', '61', 'a', 'aaaaaa…', 'correct ', '1', '"', "'", '[', '{"a":', '='],
  ];

  test('the time to redact a text that repeats parts of secret patterns grows linearly with the length of the text', () => {
    const redactor = redactorOf(...secrets);
    for (const unit of units) expectLinear(redactor, 'a', unit);
    for (const unit of ['a', '+', ' ', 'auth', '%20', '.']) expectLinear(redactor, ' bearer ', unit);
  });

  test.each(['/', 'a', '\\', 'ab', '%25', 'Zm9vYmFy', '\u00e4'])(
    'the redaction time grows linearly with the length of a known secret: repeated %j',
    (unit) => {
      const secretOf = (length: number) => `x${unit.repeat(Math.ceil(length / unit.length))}y`;
      const work = (length: number) => () => {
        const hidden = secretOf(length);
        const redactor = redactorOf(hidden);
        redactor.redact(`before ${hidden} between ${hidden.slice(1, 400)}… after ${hidden.slice(1)}`);
      };
      expectRatio(`a secret of ${JSON.stringify(unit)}`, work(LENGTH), work(8 * LENGTH));
    },
  );

  test('if a text repeats a part of a known secret, the redaction time grows linearly with the length of the text', () => {
    const unit = fc.oneof(
      alphabet('\\%+ "&;u0025…./'),
      fc.constantFrom('\\u002b', '%2b', '%252b', '&#43;', '\n'),
    );
    const part = fc
      .tuple(secret, fc.nat(), fc.array(unit, { maxLength: 6 }))
      .map(
        ([hidden, cut, units]) => [hidden, hidden.slice(0, cut % hidden.length) + units.join('')] as const,
      );
    fc.assert(
      fc.property(part, ([hidden, text]) => {
        fc.pre(text !== '');
        expectLinear(redactorOf(hidden), hidden.slice(0, 1), text);
      }),
      { numRuns: runs(25), endOnFailure: true },
    );
  });
});

test('holds() ignores whitespace around a short or a long secret', () => {
  const redactor = redactorOf(' abc\n');
  expect([redactor.holds('abc'), redactor.holds(' abc\n'), redactor.holds('ab')]).toEqual([
    true,
    true,
    false,
  ]);
});

test('masks the values of JSON fields whose names suggest secrets, except null, objects, lists and sentences', () => {
  const members = {
    ...{ number: 12345678901234, client_secret: null, token: { a: 1 }, password: ['x'], secret: 5 },
    access_token: 'The token has expired, log in again.',
  };
  const redacted = redactorOf('12345678901234').redact(`${JSON.stringify(members)}\n`);
  expect(redacted).toMatch(/}\n$/);
  expect(JSON.parse(redacted)).toEqual({ ...members, number: MASK, secret: MASK });
});

test('holds() finds a long secret inside a text, but a short secret only as the whole text', () => {
  const redactor = redactorOf('abc', 'long-secret-1');
  expect(['abc', 'long-secret-1', 'a long-secret-1 b'].map((text) => redactor.holds(text))).toEqual([
    true,
    true,
    true,
  ]);
  expect(['xabcx', 'ab', 'long-secret', ''].map((text) => redactor.holds(text))).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('does not mask secrets in a permitted text, but masks the same secrets elsewhere', () => {
  const redactor = redactorOf('secret-one', 'secret-two');
  redactor.permit('secret-one and secret-two');
  redactor.permit('');
  expect(redactor.redact('secret-one and secret-two')).toBe('secret-one and secret-two');
  expect(redactor.redact('secret-one and secret-two, secret-one')).toBe('secret-one and secret-two, ***');
  expect(redactor.redact('secret-one')).toBe('***');
});

test.each(['p\\u00e4ss-geheim', 'p\\u00E4ss-geheim', 'p\\\\u00e4ss-geheim'])(
  'masks the secret in %j',
  (written) => {
    expect(redactorOf('päss-geheim').redact(`before ${written} after`)).toBe('before *** after');
  },
);

test('masks a secret that is cut off by an ellipsis after six or more characters', () => {
  const redactor = redactorOf('abcdefghijkl"mn');
  expect(redactor.redact('x abcdef… y')).toBe('x ***… y');
  expect(redactor.redact('x abcde… y')).toBe('x abcde… y');
  expect(redactor.redact('abcdef…')).toBe('***…');
  expect(redactor.redact('abcdefghijkl\\"m…')).toBe('***…');
  expect(redactor.redact('bcdefg…')).toBe('bcdefg…');
});

test.each(['Authorization: Bearer abcdefghijklmno', '{"password":"must"}', '?token=abcdefghijklmno1'])(
  'masks the value in %s',
  (text) => {
    expect(new Redactor().redact(text)).toContain(MASK);
  },
);

test.each([
  'Authorization: Bearer abcdefghijklmn',
  '{"password":"must be"}',
  '?token=abcdefghijklmn1',
  '?token=abcdefghijklmnop',
  '?token=1234567890123456',
  `?token=0x${'a1'.repeat(20)}`,
])('does not mask the value in %s', (text) => {
  expect(new Redactor().redact(text)).not.toContain(MASK);
});
