import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseApiKey, refuseBesideApiKey, saveApiKey } from '../../src/auth/api-key.ts';
import { readApiKey } from '../../src/auth/secrets.ts';
import { sessionFile } from '../../src/auth/session-file.ts';
import { writePrivateFile } from '../../src/core/file.ts';
import { failure, testHost } from './support.ts';

describe('parsing an API key', () => {
  it.each(['key_abc', 'key_abc\n', 'key_abc\r\n', '\ufeffkey_abc', '\ufeffkey_abc\r\n'])(
    'accepts %j',
    (text) => {
      expect(parseApiKey(text)).toBe('key_abc');
    },
  );

  it.each([
    ['an empty text', ''],
    ['a bare line break', '\n'],
    ['two line breaks', 'key_abc\n\n'],
    ['several lines', 'key_abc\nkey_def'],
    ['a space', 'key_abc '],
    ['a tab', '\tkey_abc'],
    ['an escape sequence', '\u001b[200~key_abc'],
    ['a byte-order mark after the key', 'key_abc\ufeff'],
    ['only a byte-order mark', '\ufeff'],
    ['UTF-16', 'k\0e\0y\0'],
    ['an overlong key', 'k'.repeat(4097)],
  ])('rejects %s', async (_, text) => {
    const error = await failure(() => parseApiKey(text));
    expect([error.kind, error.code]).toEqual(['usage', 'BAD_API_KEY']);
    expect(JSON.stringify([error.message, error.hint])).not.toMatch(/key_/);
  });

  it('parsing returns a valid API key unchanged, and the error for an invalid key does not contain the key', () => {
    const ascii = fc
      .string({ unit: 'grapheme-ascii', minLength: 8 })
      .map((text) => text.replaceAll(' ', '_'));
    const ended = fc
      .tuple(ascii, fc.constantFrom('', '\n', '\r\n', '\r', ' '))
      .map((parts) => parts.join(''));
    const text = fc.oneof(fc.string({ unit: 'binary', minLength: 8 }), ended);
    let accepted = 0;
    fc.assert(
      fc.property(text, (text) => {
        try {
          const key = parseApiKey(text);
          accepted += 1;
          expect(text.startsWith(key)).toBe(true);
          expect(text.slice(key.length)).toMatch(/^(\r?\n)?$/);
          expect(key).toMatch(/^[\x21-\x7e]+$/);
        } catch (error) {
          expect(error).toMatchObject({ code: 'BAD_API_KEY' });
          expect(String(error)).not.toContain(text);
        }
      }),
      { numRuns: 100 },
    );
    expect(accepted).toBeGreaterThan(10);
  });
});

describe('storing an API key', () => {
  it('storing an API key changes nothing if the settings cannot be stored', async () => {
    const host = testHost();
    const broken = () => Promise.reject(new Error('disk full'));
    await expect(saveApiKey(host, 'k1', broken)).rejects.toThrow('disk full');
    expect(host.keychain.entries.size).toBe(0);
    expect(await saveApiKey(host, 'k1', async () => {})).toEqual({ replaced: false });
    await expect(saveApiKey(host, 'k2', broken)).rejects.toThrow('disk full');
    expect((await readApiKey(host))?.apiKey).toBe('k1');
    expect(await saveApiKey(host, 'k2', async () => {})).toEqual({ replaced: true });
    expect((await readApiKey(host))?.apiKey).toBe('k2');
  });

  it('an API key is rejected if the profile has a session', async () => {
    const host = testHost();
    host.keychain.entries.set('default:refresh-token', 'rt');
    await writePrivateFile(sessionFile(host.directory, 'default'), '');
    const error = await failure(saveApiKey(host, 'k', async () => {}));
    expect(error.code).toBe('PROFILE_HAS_SESSION');
    expect(error.hint).toContain('cryptodata logout -p default');
    expect(host.keychain.entries.has('default:api-key')).toBe(false);
  });
});

describe('a browser login', () => {
  it('a browser login is rejected if an API key or a workspace is configured', async () => {
    const keyed = testHost();
    keyed.keychain.entries.set('default:api-key', 'k');
    const cases = [
      [keyed, 'PROFILE_HAS_API_KEY', /cryptodata logout -p default/],
      [
        testHost({ profile: { workspace: 'ws_1' } }),
        'WORKSPACE_WITH_LOGIN',
        /config unset workspace -p default/,
      ],
      [testHost({ env: { CRYPTODATA_WORKSPACE: 'ws_1' } }), 'WORKSPACE_WITH_LOGIN', /Omit the workspace/],
      [testHost({ env: { CRYPTODATA_API_KEY: 'k' } }), 'API_KEY_IN_ENVIRONMENT', /unset CRYPTODATA_API_KEY/],
    ] as const;
    for (const [host, code, way] of cases) {
      const error = await failure(refuseBesideApiKey(host));
      expect([error.kind, error.code]).toEqual(['usage', code]);
      expect(error.hint).toMatch(way);
    }
    await refuseBesideApiKey(testHost());
  });
});
