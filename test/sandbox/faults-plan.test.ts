// Tests how faults are parsed, and which requests each fault affects.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAULTS_HELP } from '../../src/commands/sandbox/faults.ts';
import { checkPath, kebab, parseFault, readFault, writeFault } from '../../src/sandbox/faults/fault.ts';
import { FAULT_NAMES, faultParameters } from '../../src/sandbox/faults/kinds.ts';
import { createFaults } from '../../src/sandbox/faults/plan.ts';
import { readScenario } from '../../src/sandbox/faults/scenario.ts';
import { createSandbox } from '../../src/sandbox/index.ts';

function plan(faults: readonly string[], seed = 'a') {
  let now = 0;
  const made = createFaults({ seed, clock: () => now });
  for (const text of faults) {
    const fault = parseFault(text);
    if (typeof fault === 'string') throw new Error(fault);
    made.add(fault);
  }
  const ask = (path = '/v1/ledgers', more: { method?: string; grant?: string; bearer?: boolean } = {}) =>
    made
      .meet({ method: 'GET', grant: undefined, bearer: true, ...more, path })
      .map(({ text }) => text.split(':')[0])
      .join(' ');
  return {
    ...made,
    ask,
    times: (count: number) => Array.from({ length: count }, () => ask()),
    wait: (ms: number) => {
      now += ms;
    },
  };
}

describe('requests affected by a fault', () => {
  it.each([
    ['500', '500 - - - - -'],
    ['500:times=2', '500 500 - - - -'],
    ['500:times=all', '500 500 500 500 500 500'],
    ['500:nth=3', '- - 500 - - -'],
    ['500:nth=2,5', '- 500 - - 500 -'],
    ['500:every=2', '- 500 - 500 - 500'],
    ['500:every=2:times=1', '- 500 - - - -'],
    ['500:after=4', '- - - - 500 -'],
    ['500:after=2:every=2', '- - - 500 - 500'],
    ['500:rate=1', '500 500 500 500 500 500'],
    ['500:rate=0', '- - - - - -'],
  ])('with the fault %s, six requests in a row get %s', (fault, met) => {
    expect(
      plan([fault])
        .times(6)
        .map((text) => text || '-')
        .join(' '),
    ).toBe(met);
  });

  it('a fault can start after a delay and end after a period', () => {
    const { ask, wait } = plan(['500:after-ms=1000:for-ms=500', '502:/v1/x:after-ms=1']);
    const met = [ask()];
    for (const step of [999, 1, 499, 1]) {
      wait(step);
      met.push(ask());
    }
    expect(met).toEqual(['', '', '500', '500', '']);
    expect(ask('/v1/x')).toBe('502');
  });

  it('a fault with the rate 0.2 affects about 20% of the requests, and the seed selects these requests', () => {
    const run = (seed: string) => plan(['500:rate=0.2'], seed).times(2000);
    const once = run('a');
    expect(run('a')).toEqual(once);
    expect(run('b')).not.toEqual(once);
    const share = once.filter((text) => text !== '').length / 2000;
    expect(share).toBeGreaterThan(0.16);
    expect(share).toBeLessThan(0.24);
    // Chance decides separately for each fault, so a request can have no fault, one fault or both.
    const two = plan(['ties:/*:rate=0.5', 'slow:rate=0.5']).times(200);
    expect(new Set(two)).toEqual(new Set(['', 'ties', 'slow', 'ties slow']));
  });

  it('a fault counts only requests that match its path, method and grant type', () => {
    const { ask } = plan([
      '500:/v1/ledgers:nth=2',
      '502:/v1/*:method=post:nth=2',
      '503:/oidc/token:grant=refresh_token:nth=2',
    ]);
    expect(ask('/v1/holdings')).toBe('');
    expect([ask(), ask('/v1/x', { method: 'POST' }), ask()]).toEqual(['', '', '500']);
    expect(ask('/v1/y', { method: 'POST' })).toBe('502');
    const token = (grant: string) => ask('/oidc/token', { method: 'POST', grant });
    expect([token('refresh_token'), token('authorization_code'), token('refresh_token')]).toEqual([
      '',
      '',
      '503',
    ]);
  });

  it('a request gets at most one fault that replaces or damages the response, and any number of other faults', () => {
    const { times, list } = plan(['429', 'slow:times=2', 'torn', 'drift', 'reset:/v1/ledgers:nth=4']);
    expect(times(5)).toEqual(['429 slow drift', 'slow torn', '', 'reset', '']);
    expect(list()).toEqual([]);
  });

  it('a path pattern must match the whole path, and an asterisk in the pattern matches any text', () => {
    const met = (pattern: string, path: string) => plan([`500:${pattern}`]).ask(path) !== '';
    expect([
      met('/v1/led', '/v1/ledgers'),
      met('/v1/ledgers', '/v1/ledgers/x'),
      met('/v1.ledgers', '/v1/ledgers'),
    ]).toEqual([false, false, false]);
    expect([
      met('/v1/*', '/v1/ledgers'),
      met('/*/ledgers', '/v1/transactions/t/ledgers'),
      met('/*', '/oidc/jwks'),
    ]).toEqual([true, true, true]);
  });

  it('a token fault applies only to requests that contain a token', () => {
    const { ask } = plan(['expired', 'revoked']);
    expect([ask('/v1/providers', { bearer: false }), ask()]).toEqual(['', 'expired revoked']);
  });

  it('a fault of webhook deliveries does not affect requests', () => {
    const { disturb, ask } = plan(['duplicate:nth=2', 'reorder:every=3']);
    expect(ask()).toBe('');
    expect([1, 2, 3].map(() => disturb.duplicate())).toEqual([false, true, false]);
    expect([1, 2, 3, 4, 5, 6].map(() => disturb.holdBack())).toEqual([
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
  });
});

describe('the short form of a fault', () => {
  const anyFault: fc.Arbitrary<Record<string, unknown>> = fc.constantFrom(...FAULT_NAMES).chain((kind) => {
    const whole = fc.integer({ min: 1, max: 1000 });
    const values: Record<string, fc.Arbitrary<unknown>> = {
      path: fc.constantFrom('/v1/ledgers', '/v1/*', '/oidc/token'),
      method: fc.constantFrom('GET', 'post'),
      grant: fc.constant('refresh_token'),
      times: fc.oneof(whole, fc.constant('all')),
      nth: fc.oneof(whole, fc.array(whole, { minLength: 2, maxLength: 4 })),
      rate: fc.double({ min: 0, max: 1, noNaN: true }),
      status: fc.integer({ min: 400, max: 599 }),
      code: fc.constantFrom('server_error', 'ANY_CODE'),
      retryHeader: fc.constant('Retry-After'),
      retryAs: fc.constantFrom('seconds', 'date'),
      length: fc.constantFrom('right', 'wrong'),
      rows: fc.constantFrom('insert', 'backdate', 'delete'),
    };
    const record = Object.fromEntries(
      [...faultParameters(kind).keys()].map((key) => [key, values[key] ?? whole]),
    );
    return fc
      .record(record, { requiredKeys: kind === 'status' ? ['status'] : [] })
      .map((fault) => (kind === 'status' ? fault : { kind, ...fault }));
  });

  it('every fault in JSON can be converted to the short form and back', () => {
    fc.assert(
      fc.property(anyFault, (fault) => {
        const read = readFault(fault);
        expect(read).toEqual(fault);
        expect(typeof read === 'string' ? read : parseFault(writeFault(read))).toEqual(fault);
      }),
    );
  });

  it.each([
    ['', /the kind "" is unknown; use one of a status such as 429, html/],
    ['tron', /; did you mean torn\?$/],
    ['status:/v1', /the kind "status" is unknown/],
    ['200:/v1', /"status" must be a whole number from 400 to 599/],
    ['429:v1/ledgers', /"v1\/ledgers" must be name=value, or a path that starts with a slash/],
    ['429:rat', /; did you mean rate=…\?$/],
    ['429:/v1:rat=0.1', /status has no parameter "rat"; did you mean rate\?$/],
    ['429:retry-afer=1', /did you mean retry-after\?$/],
    ['429:rate=2', /"rate" must be a number from 0 to 1, not "2"/],
    ['429:nth=0', /"nth" must be a whole number from 1/],
    ['429:nth=2,x', /"nth" must be/],
    ['429:times=1:times=2', /duplicate parameter "times"/],
    ['429:/a:/b', /duplicate parameter "path"/],
    ['slow:at=3', /slow has no parameter "at"/],
    ['torn:length=rigth', /"length" must be right or wrong, not "rigth"/],
    ['duplicate:/v1', /duplicate \(a fault for webhook deliveries\) has no parameter "path"/],
    ['429:__proto__=1', /has no parameter/],
  ])('rejects %s', (text, says) => {
    expect(parseFault(text)).toMatch(says);
  });

  it('createSandbox rejects an invalid fault or scenario', async () => {
    await expect(createSandbox({ faults: ['tron'] })).rejects.toThrow(RangeError);
    await expect(createSandbox({ scenario: 'flaky' })).rejects.toThrow(
      /"flaky" is unknown; use one of flaky-network/,
    );
    await expect(createSandbox({ scenario: { faults: ['500', 'x'] } })).rejects.toThrow(
      /faults\[1\]: the kind "x"/,
    );
  });
});

it.each([
  [[], /must be an object/],
  [{ fault: [] }, /Unknown field "fault"; did you mean faults\?/],
  [{ seed: {} }, /"seed" must be/],
  [{ faults: '500' }, /"faults" must be a list/],
  [{ faults: [{ status: 200 }] }, /faults\[0\]: "status"/],
  [{ steps: [{ at: -1, post: 'reset' }] }, /"steps\[0\].at" must be/],
  [{ steps: [{ post: '../v1/ledgers' }] }, /"steps\[0\].post" must be a control endpoint/],
  [{ steps: [{ post: 'reset' }] }, /"steps\[0\].post" must be a control endpoint other than reset/],
  [{ steps: [{ post: 'clock', times: 0 }] }, /"steps\[0\].times" must be/],
  [
    { steps: [{ post: 'clock', when: 1 }] },
    /Unknown field "when" in "steps\[0\]"; use one of post, at, times/,
  ],
])('rejects the scenario %j', (given, says) => {
  expect(() => readScenario(given)).toThrow(says);
});

describe('the path of a fault', () => {
  const routes = ['/v1/ledgers', '/v1/ledgers/:id', '/v1/integrations/:id/assets', '/oidc/token'];
  const check = (path: string) => checkPath({ status: 500, path }, routes);

  it.each([
    '/v1/ledgers',
    '/v1/ledgers/led_1',
    '/v1/*',
    '/*',
    '*/token',
    '/v1/*/wal_1/assets',
    '/v1/integrations/wal_*/assets',
    '/v1/*s*/*_1',
  ])('accepts the fault path %s', (path) => {
    expect(() => check(path)).not.toThrow();
  });

  it.each([
    ['/v1/ledger', '; did you mean /v1/ledgers?'],
    ['/v1/ledgers/', ''],
    ['/v1/ledgers/a/b', ''],
    ['/V1/*', ''],
    ['/oidc/tokens', '; did you mean /oidc/token?'],
    ['/something/else/entirely', ''],
  ])('rejects a fault path that matches no endpoint: %s', (path, suggestion) => {
    expect(() => check(path)).toThrow(`path "${path}" matches no endpoint${suggestion}`);
  });

  it('createSandbox checks the paths in faults and scenarios', async () => {
    const message = /path "\/v1\/ledger" matches no endpoint; did you mean \/v1\/ledgers\?/;
    await expect(createSandbox({ faults: ['429:/v1/ledger'] })).rejects.toThrow(message);
    await expect(createSandbox({ scenario: { faults: ['429:/v1/ledger'] } })).rejects.toThrow(message);
  });
});

it('the help lists every kind of fault and every parameter', () => {
  for (const kind of FAULT_NAMES) {
    const written = kind === 'status' ? '429, 503, …' : kind;
    expect(FAULTS_HELP).toContain(`\n  ${written} `);
    for (const name of faultParameters(kind).keys()) expect(FAULTS_HELP).toContain(`${kebab(name)}=`);
  }
  expect(Math.max(...FAULTS_HELP.split('\n').map((line) => line.length))).toBeLessThan(90);
});
