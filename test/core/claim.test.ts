import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { Claim } from '../../src/core/claim.ts';
import { isRecord } from '../../src/core/json.ts';

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

  test('an unverified claim contains the reason for the doubt, and the evidence of an earlier comparison', () => {
    expect(Claim.not('no total').sentence()).toBe('not verified: no total');
    expect(Claim.not('no total').verified).toBe(false);
    expect(Claim.not('a mark', mirror).sentence()).toBe(
      'not verified: a mark (The mirror contains the legs as of C)',
    );
  });
});

/** Properties whose texts describe what a command does, and not what it found. */
const HELP = 'about summary prints says describe help hint means fix'.split(' ');

/** Returns the texts of the string and template literals of a file. Help texts, types and imports are omitted. */
function literalsIn(source: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (!isRecord(node)) return;
    if (/^(Import|TS(TypeAlias|Interface))/.test(String(node['type']))) return;
    if (node['type'] === 'Property' && HELP.includes(Object(node['key'])['name'])) return;
    if (node['type'] === 'Literal' && typeof node['value'] === 'string') found.push(node['value']);
    if (node['type'] === 'TemplateElement') found.push(String(Object(node['value'])['cooked']));
    Object.values(node).forEach(visit);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return found;
}

/** Matches words which say that a comparison succeeded. */
const SUCCESS =
  /(?<!not )\b[Vv]erified(:| against)|no leg is missing|[Nn]othing is missing|\bthe same( today|\.|`|')|has the same number|\bmatch(es)? the (service|mirror|books)|\b(is|are) (complete|unchanged)( since|\.|\b[^. ]*$)/;

/** Files that report no comparison of rows. */
const ALLOWED = /^src\/(sandbox\/|commands\/help-|commands\/sandbox\/)/;

test('no file except core/claim.ts contains a statement about a successful comparison', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((name) => join('src', name))
    .filter(
      (path) => path.endsWith('.ts') && path !== join('src', 'core', 'claim.ts') && !ALLOWED.test(path),
    );
  const found = files.flatMap((path) => {
    return literalsIn(readFileSync(path, 'utf8')).flatMap((text) =>
      SUCCESS.test(text) ? `${path}: ${text}` : [],
    );
  });
  expect(found).toEqual([]);
  // The search finds the sentences in core/claim.ts, so it works.
  const own = literalsIn(readFileSync(join('src', 'core', 'claim.ts'), 'utf8'));
  expect(own.filter((text) => SUCCESS.test(text)).length).toBeGreaterThan(8);
});
