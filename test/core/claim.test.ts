import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Claim } from '../../src/core/claim.ts';

describe('a claim', () => {
  const totals = { by: 'totals', t0: 'A', t1: 'B' } as const;
  const mirror = { by: 'mirror', readAt: 'A', countsAt: 'B', idsAt: 'C', contentsAt: null } as const;

  test('a verified claim contains its evidence', () => {
    const claim = Claim.verified(totals);
    expect([claim.verified, claim.why]).toEqual([true, undefined]);
    expect(claim.sentence((time) => `<${time}>`)).toMatch(
      /^verified against the service's totals at T0 \(<A>\) and T1 \(<B>\); a leg /,
    );
    expect(claim.text()).toMatch(/^Verified .*outdated\.$/);
    expect(Claim.verified({ by: 'bytes', file: 'a.csv', rows: 1, uncounted: undefined }).text()).toBe(
      'a.csv is unchanged since the export: it has the same bytes (SHA-256) and 1 row, as in the manifest.',
    );
  });

  test('a doubtful claim contains the reason, and what was compared earlier', () => {
    expect(Claim.not('no total').sentence()).toBe('not verified: no total');
    expect(Claim.not('no total').verified).toBe(false);
    expect(Claim.not('a mark', mirror).sentence()).toBe(
      'not verified: a mark (The mirror contains the legs as of C)',
    );
  });
});

/** Returns the string and template literals of a file. Comments, imports and regular expressions are not literals. */
function literalsIn(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)].map(
    ([text]) => text,
  );
}

/** Words that say that a comparison succeeded. */
const SUCCESS =
  /(?<!not )\b[Vv]erified(:| against)|no leg is missing|[Nn]othing is missing|\bthe same( today|\.|`|')|has the same number|\bmatch(es)? the (service|mirror|books)|\b(is|are) (complete|unchanged)( since|\.|\b[^. ]*$)/;

/** Files that report no comparison of rows. */
const ALLOWED = /^src\/(sandbox\/|commands\/help-|commands\/sandbox\/)/;

test('only core/claim.ts says that a comparison succeeded', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((name) => join('src', name))
    .filter(
      (path) => path.endsWith('.ts') && path !== join('src', 'core', 'claim.ts') && !ALLOWED.test(path),
    );
  const found = files.flatMap((path) => {
    // Help texts describe what a command does. Each help text is the value of one of these properties.
    const source = readFileSync(path, 'utf8').replaceAll(
      /\b(about|summary|prints|says|describe|help|hint|means|fix): *(`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/g,
      '',
    );
    return literalsIn(source).flatMap((text) => (SUCCESS.test(text) ? `${path}: ${text}` : []));
  });
  expect(found).toEqual([]);
  // The search finds such sentences.
  const own = literalsIn(readFileSync(join('src', 'core', 'claim.ts'), 'utf8'));
  expect(own.filter((text) => SUCCESS.test(text)).length).toBeGreaterThan(8);
});
