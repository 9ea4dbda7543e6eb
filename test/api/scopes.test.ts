import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_SCOPES,
  expandScopes,
  missingScope,
  needsRegistration,
  scopeOf,
  scopesIn,
  shortestScopes,
  splitScopes,
  unknownScopes,
} from '../../src/api/scopes.ts';
import { scopeHint } from '../../src/auth/credentials.ts';

// Copied word for word from "Scopes" in the specification.
const SPECIFIED =
  'openid, profile, offline_access, email, portfolios:read, transactions:read, integrations:read, tax:read, accounting:read, reports:read, workspace:read, users:read'.split(
    ', ',
  );

describe('scope shorthands', () => {
  it('the scope shorthand "default" expands to the default scopes in the specification', () => {
    expect(DEFAULT_SCOPES).toEqual(SPECIFIED);
    expect(expandScopes(['default'])).toEqual(SPECIFIED);
  });

  it('the scope shorthand "read" adds every read scope to the core scopes, and "all" adds every scope', () => {
    const read = expandScopes(['read']);
    expect(read).toHaveLength(4 + 11);
    expect(read.filter((scope) => !/^(openid|profile|offline_access|email)$|:read$/.test(scope))).toEqual([]);
    const all = expandScopes(['all']);
    expect(all).toHaveLength(4 + 22);
    expect(all).toEqual(expect.arrayContaining([...read, 'swaps:write', 'transactions:write']));
  });

  it.each([
    ['contacts:read openid', ['contacts:read', 'openid']],
    ['default,contacts:read', [...SPECIFIED, 'contacts:read']],
    ['+contacts:read', [...SPECIFIED, 'contacts:read']],
    ['+contacts:read,+swaps:read', [...SPECIFIED, 'contacts:read', 'swaps:read']],
    ['default default', SPECIFIED],
    ['openid, openid', ['openid']],
    ['toString', ['toString']],
    ['', []],
  ])('expands the scopes %j', (text, scopes) => {
    expect(expandScopes(splitScopes(text))).toEqual(scopes);
  });

  it.each(['+', 'default,+', '+ contacts:read'])(
    'rejects a + that is not followed by a scope: %j',
    (text) => {
      expect(() => expandScopes(splitScopes(text))).toThrow(expect.objectContaining({ code: 'BAD_SCOPE' }));
    },
  );

  it('a shortened list of scopes expands to the original scopes', () => {
    const known = expandScopes(['all']);
    fc.assert(
      fc.property(fc.subarray(known), fc.boolean(), (some, withDefault) => {
        const scopes = expandScopes([...(withDefault ? ['default'] : []), ...some]);
        expect(expandScopes(splitScopes(shortestScopes(scopes))).sort()).toEqual([...scopes].sort());
      }),
    );
    expect(shortestScopes([...SPECIFIED, 'contacts:read'])).toBe('default,contacts:read');
  });

  it('unknown scopes are reported with suggestions', () => {
    expect(unknownScopes([...expandScopes(['all']), 'contact:read', 'reed', 'quite-another-thing'])).toEqual([
      { scope: 'contact:read', near: 'contacts:read' },
      { scope: 'reed', near: 'read' },
      { scope: 'quite-another-thing', near: undefined },
    ]);
  });
});

it('every scope outside the default set requires registration', () => {
  expect(expandScopes(['all']).filter((scope) => !needsRegistration(scope))).toEqual(
    expect.arrayContaining(SPECIFIED),
  );
  expect(['contacts:read', 'invoices:read', 'swaps:read', 'users:write'].every(needsRegistration)).toBe(true);
});

describe('the scope named in a 403 error', () => {
  it.each([
    ['Missing scope: contacts:read', ['contacts:read']],
    ['contacts:read is required', ['contacts:read']],
    ['Requires "transactions:read".', ['transactions:read']],
    ['Token lacks scope(s) [contacts:read, contacts:write]', ['contacts:read', 'contacts:write']],
    ['(tax:write)', ['tax:write']],
    ['ledgers:read', ['ledgers:read']],
    ['See http://example.com:read/contacts:reader', []],
    ['scope:contacts:read', []],
    ['Not allowed', []],
    ['', []],
  ])('a missing scope is read from the error message %j if the message contains a scope', (text, scopes) => {
    expect(scopesIn(text)).toEqual(scopes);
  });

  it('if an error message contains several scopes, the missing scope is the one that the token lacks', () => {
    const login = { requested: SPECIFIED, granted: SPECIFIED };
    expect(missingScope('you have tax:read, this needs contacts:read', login)).toEqual({
      scope: 'contacts:read',
      needsRegistration: true,
      requested: false,
      granted: false,
    });
    expect(missingScope('No.', login).scope).toBeUndefined();
  });
});

describe('the hint for a missing scope', () => {
  const hint = (reason: string, requested: string[], granted: string[]) => {
    const login = { requested, granted };
    return scopeHint(missingScope(reason, login), login, 'cryptodata login -p acme');
  };

  it('if a scope was not requested, the hint explains how to register the scope and shows the exact login command', () => {
    const text = hint('contacts:read', SPECIFIED, SPECIFIED);
    expect(text).toMatch(/First register the scope for the client/);
    expect(text).toContain('did not request contacts:read');
    expect(text).toMatch(/cryptodata login -p acme --scopes default,contacts:read$/);
  });

  it('suggests a login command for a default scope that was not granted', () => {
    const text = hint('tax:read', SPECIFIED, ['openid']);
    expect(text).toContain('requested tax:read, but the scope was not granted');
    expect(text).toContain('cryptodata login -p acme --scopes default. ');
    expect(text).not.toContain('registered');
  });

  it('suggests a login command for a default scope that was not requested', () => {
    const text = hint('tax:read', ['openid', 'users:read'], ['openid', 'users:read']);
    expect(text).toContain('did not request tax:read');
    expect(text).toContain('cryptodata login -p acme --scopes openid,users:read,tax:read.');
  });

  it('if the scope named in the 403 error is already granted, the hint says so', () => {
    expect(hint('tax:read', SPECIFIED, SPECIFIED)).toMatch(/tax:read was granted to this login/);
  });
});

it('for a 403 error without a scope, the missing scope is the scope of the endpoint', () => {
  const scope = (path: string) => scopeOf(path.split('/'));
  expect(scope('v1/contacts')).toBe('contacts:read');
  expect(scope('v1/counter-parties')).toBe('contacts:read');
  expect(scope('v1/ledgers/led_1')).toBe('transactions:read');
  expect(scope('api/v1/nft-holdings')).toBe('portfolios:read');
  expect([scope('v1/ledgersx'), scope('v1/holdings'), scope('')]).toEqual([undefined, undefined, undefined]);
  expect(missingScope('No.', undefined, 'contacts:read')).toMatchObject({
    scope: 'contacts:read',
    requested: null,
  });
});
