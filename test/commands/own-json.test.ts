// Tests the JSON files that the tool writes for itself. They contain names from the service, and these names may contain any
// character.

import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonText, parseJson } from '../../src/core/json.ts';
import { escapeHostile } from '../../src/core/text.ts';
import { manifestOf, readManifest } from '../../src/export/manifest.ts';
import { writePair } from '../../src/export/target.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { temporary } from '../e2e/harness.ts';
import { sendJson, stub } from '../e2e/stub.ts';
import { CSV, manifestFor } from '../export/manifest-for.ts';
import { endHere } from './in-process.ts';

const HOSTILE = 'a\u202eb\u2066c\u009bd\u200be\u2028f\u0007';
const hostileText = fc.string({
  unit: fc.constantFrom(
    ...HOSTILE,
    '\\',
    '"',
    '\n',
    'ü',
    '\u061c',
    '\ufeff',
    '\u0085',
    '\ud83d',
    '😀',
    '\u{e0041}',
  ),
});
const isHostile = (text: string) => escapeHostile(text) !== text;

describe('JSON for the tool itself', () => {
  test('jsonText() writes no hostile character, and the JSON is parsed to the original value', () => {
    const value = fc.dictionary(hostileText, fc.oneof(hostileText, fc.array(hostileText), fc.double()));
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, 2), (given, indent) => {
        const text = jsonText(given, indent);
        expect(isHostile(text)).toBe(false);
        expect(parseJson(text)).toEqual(JSON.parse(JSON.stringify(given)));
      }),
    );
  });

  test('a manifest keeps every name, and shows no hostile character', async () => {
    const path = join(temporary(), 'a.csv');
    await fc.assert(
      fc.asyncProperty(hostileText, fc.array(hostileText), async (name, columns) => {
        const {
          manifest: _,
          tool: __,
          ...content
        } = manifestFor(CSV, {
          ...{ columns, fieldsLeftOut: { [`x${name}`]: 1 }, statement: name },
          request: { form: { format: 'csv' }, filters: { walletIds: [name] } },
        });
        const place = manifestOf(path);
        await writePair(
          { directory: temporary(), path, overwrite: true },
          (file) => file.write('a'),
          () => content,
        );
        expect(isHostile(readFileSync(place, 'utf8'))).toBe(false);
        const { statement, fieldsLeftOut, request } = parseJson(
          readFileSync(place, 'utf8'),
        ) as typeof content;
        expect({ statement, fieldsLeftOut, request }).toEqual({
          ...{ statement: name, fieldsLeftOut: content.fieldsLeftOut, request: content.request },
        });
      }),
      { numRuns: 30 },
    );
  });

  test('the manifest of an export escapes the names of fields that have no column', async () => {
    const row = { id: 'a', timestamp: Date.UTC(2025, 0, 1), [HOSTILE]: 1 };
    const service = await stub((_request, response) =>
      sendJson(response, 200, JSON.stringify({ data: [row], meta: { total: 1, limit: 200, offset: 0 } })),
    );
    const path = join(temporary(), 'legs.csv');
    expect((await endHere(['ledgers', 'export', '--out', path], service.env)).error).toBeUndefined();
    expect(isHostile(readFileSync(manifestOf(path), 'utf8'))).toBe(false);
    expect((await readManifest(path)).fieldsLeftOut).toEqual({ [HOSTILE]: 1 });
  });

  test('no JSON file of an export, a mirror or a pack from "close" contains a hostile character', async () => {
    const directory = temporary();
    const sandbox = await createSandbox({ rows: 300 });
    try {
      const at = (name: string) => join(directory, name);
      mkdirSync(directory, { recursive: true });
      for (const line of [
        ['mirror', at('books')],
        ['txns', 'export', '--out', at('txns.csv')],
        ['ledgers', 'export', '--out', at('legs.csv')],
        ['close', '--period', '2025-Q2', '--out', at('closed')],
      ]) {
        expect(await endHere([...line, '--tz', 'UTC'], sandbox.env)).toMatchObject({ error: undefined });
      }
    } finally {
      await sandbox.close();
    }
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .map((name) => join(directory, name))
      .filter((path) => path.endsWith('.json') && statSync(path).isFile());
    expect(files.length).toBeGreaterThan(3);
    for (const path of files) expect([path, isHostile(readFileSync(path, 'utf8'))]).toEqual([path, false]);
  });
});
