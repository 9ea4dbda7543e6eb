import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePasted, readPasted } from '../../src/auth/paste.ts';
import { failure } from './support.ts';

const redirectUri = 'http://127.0.0.1:8976/callback';
const whole = `${redirectUri}?code=a%2Fb-c_d&state=the-state`;

async function paste(lines: string[], more: Partial<Parameters<typeof readPasted>[1]> = {}) {
  const told: string[] = [];
  async function* read() {
    yield* lines;
  }
  const options = {
    redirectUri,
    state: 'the-state',
    onBadPaste: (message: string) => told.push(message),
    ...more,
  };
  return { code: await readPasted(read(), options), told };
}

describe('a pasted redirect', () => {
  it.each([
    whole,
    'code=a%2Fb-c_d&state=the-state',
    '?state=the-state&code=a%2Fb-c_d',
    `<${whole}>`,
    `"${whole}"`,
    `  ${whole}#_=_  `,
    whole.replace('127.0.0.1', 'localhost'),
    `${whole}&iss=https%3A%2F%2Fauth.example.com`,
    `\u001b[200~${whole}`.replace('[200~', ''),
  ])('a pasted redirect is accepted in the form %s', async (text) => {
    expect(await paste([text])).toEqual({ code: 'a/b-c_d', told: [] });
  });

  it('a pasted redirect is accepted with extra line breaks and spaces at any position', async () => {
    const breaks = fc.array(fc.tuple(fc.nat(whole.length), fc.constantFrom(' ', '\n', '\r\n', '\t', '  ')), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(breaks, async (at) => {
        const text = at
          .sort(([a], [b]) => b - a)
          .reduce((t, [index, gap]) => t.slice(0, index) + gap + t.slice(index), whole);
        expect(parsePasted(text, redirectUri)?.get('code')).toBe('a/b-c_d');
        // A terminal delivers the text line by line.
        expect(await paste(text.split(/\r?\n/))).toEqual({ code: 'a/b-c_d', told: [] });
      }),
    );
  });

  it('accepts a pasted redirect with a line break in the code', async () => {
    const text = `${redirectUri}?state=the-state&code=abcdef`;
    expect((await paste([text.slice(0, -3), text.slice(-3)])).code).toBe('abcdef');
  });
});

describe('an invalid paste', () => {
  it.each([
    ['nonsense', 'hello', 'not the final address'],
    ['the login URL', 'https://auth.example.com/oidc/auth?state=the-state&code=c', 'not the final address'],
    ['another port', 'http://127.0.0.1:1/callback?code=c&state=the-state', 'not the final address'],
    ['another path', 'http://127.0.0.1:8976/other?code=c&state=the-state', 'not the final address'],
    ['a missing code', `${redirectUri}?state=the-state`, 'not the final address'],
    ['the URL of another login', `${redirectUri}?code=c&state=other`, 'another login'],
    ['two codes', `${redirectUri}?code=c&code=d&state=the-state`, 'duplicate code'],
  ])('reports %s as an invalid paste, and continues to read', async (_, text, said) => {
    const result = await paste([text, '', '   ']);
    expect(result).toEqual({ code: undefined, told: [expect.stringContaining(said)] });
    const after = await paste([text, whole]);
    expect(after.code).toBe('a/b-c_d');
  });

  it('an invalid paste is reported before the next line arrives', async () => {
    const told: string[] = [];
    let goOn = () => {};
    const seen = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* lines() {
      yield 'hello';
      await seen; // resolved by `onBadPaste`
      yield whole;
    }
    const onBadPaste = (message: string) => {
      told.push(message);
      goOn();
    };
    expect(await readPasted(lines(), { redirectUri, state: 'the-state', onBadPaste, quiet: 5 })).toBe(
      'a/b-c_d',
    );
    expect(told).toHaveLength(1);
  });

  it('returns no code if the pasted text does not contain the correct state', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.webUrl(),
            fc.constant(`${redirectUri}?code=c`),
            fc.constant('&state=the-stat'),
          ),
        ),
        async (lines) => {
          // Skip lines that contain the correct state by chance once they are joined, for example `&state=the-stat` followed by
          // `e`.
          fc.pre(
            !lines
              .join('')
              .replace(/[\s\p{Cc}\p{Cf}]+/gu, '')
              .includes('state=the-state'),
          );
          expect((await paste(lines)).code).toBeUndefined();
        },
      ),
    );
  });
});

it('ends the login if the pasted redirect reports a denial', async () => {
  const error = await failure(paste([`${redirectUri}?error=access_denied&state=the-state`]));
  expect(error.code).toBe('ACCESS_DENIED');
});
