import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERROR_CATALOGUE } from '../../src/api/errors.ts';
import { LISTS } from '../../src/api/index.ts';
import { STATE_CATALOGUE } from '../../src/api/states.ts';
import { EXIT_CODES } from '../../src/cli/exits.ts';
import { CHANGES } from '../../src/legacy/renames.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { consent } from '../e2e/browser.ts';
import { type Env, ROOT, run, sandboxed, start, temporary } from '../e2e/harness.ts';
import { loginUrl, newcomer } from '../e2e/newcomer.ts';
import { ENDPOINTS, type EndpointRow, testsByEndpoint } from './endpoints.ts';

// Generates and checks docs/coverage.md. To update the file, run `UPDATE_REFERENCE=1 npx vitest run test/spec`.

const DOCUMENT = join(ROOT, 'docs', 'coverage.md');
const tests = testsByEndpoint();
const SPECIFICATION = join(ROOT, 'test', 'spec', 'service-interface.md');

let sandbox: Sandbox;
let places: Record<string, string>;

beforeAll(async () => {
  sandbox = await sandboxed({ rows: 300 });
  const directory = temporary();
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const ledgers = JSON.parse((await run(['ledgers', '--all', '--json'], { env: sandbox.env })).stdout);
  const first = ledgers.find(({ syncId }: { syncId: string | null }) => syncId !== null);
  places = {
    LEDGER: first.id,
    WALLET: first.walletId,
    SYNC: first.syncId,
    TRANSACTION: first.transactionId,
    EMPTY: file('empty.json', '[]'),
    CREDENTIALS: file(
      'credentials.json',
      '{"providerId":"binance","credentials":{"apiKey":"k","secretKey":"s"}}',
    ),
    CSV: file('trades.csv', 'date,amount\n2025-01-01,1\n'),
    POSTED: file(
      'posted.json',
      JSON.stringify({
        walletId: first.walletId,
        transactions: [
          {
            timestamp: 1_735_689_600_000,
            transactionType: 'deposit',
            transactionId: 'manual-1',
            receivedCurrency: { currency: 'BTC', amount: 1 },
          },
        ],
      }),
    ),
  };
});

function filled({ line }: EndpointRow): string[] {
  return line.map((word) => {
    const file = word.startsWith('@');
    const place = places[file ? word.slice(1) : word];
    return place === undefined ? word : `${file ? '@' : ''}${place}`;
  });
}

function envOf({ credential }: EndpointRow): Env {
  if (credential !== 'api-key') return sandbox.env;
  const { CRYPTODATA_ACCESS_TOKEN: _, ...addresses } = sandbox.env;
  return { ...addresses, CRYPTODATA_API_KEY: sandbox.apiKey, CRYPTODATA_WORKSPACE: sandbox.workspaceId };
}

const journal = () => sandbox.truth.requests().map(({ method, path }) => `${method} ${path}`);

describe('commands cover the specification', () => {
  test.each(ENDPOINTS.filter(({ credential }) => credential !== 'session'))(
    'a command sends a request to $endpoint',
    async (row) => {
      await sandbox.reset();
      const { code, stderr } = await run(filled(row), { env: envOf(row) });
      expect(row.exit ?? [0], stderr).toContain(code);
      expect(
        journal().some((line) => row.asked.test(line)),
        journal().join('\n'),
      ).toBe(true);
    },
  );

  test('"login" and "logout" send requests to every session endpoint', async () => {
    await sandbox.reset();
    const { env } = await newcomer(sandbox, { cheap: true });
    const login = start(['login', '--no-browser'], { env });
    await fetch(await consent(await loginUrl(login)));
    expect((await login.ended).code).toBe(0);
    expect((await run(['logout'], { env })).code).toBe(0);
    for (const { asked } of ENDPOINTS.filter(({ credential }) => credential === 'session')) {
      expect(
        journal().some((line) => asked.test(line)),
        String(asked),
      ).toBe(true);
    }
  });

  test('every endpoint occurs in a test title', () => {
    expect(ENDPOINTS.filter(({ endpoint }) => !tests.has(endpoint)).map(({ endpoint }) => endpoint)).toEqual(
      [],
    );
  });

  test('no test title contains an unknown endpoint', () => {
    const known = ENDPOINTS.map(({ endpoint }) => endpoint);
    expect([...tests.keys()].filter((endpoint) => !known.includes(endpoint))).toEqual([]);
  });
});

const spec = readFileSync(SPECIFICATION, 'utf8');

function section(from: string, to: string): string {
  const [start, end] = [spec.indexOf(from), spec.indexOf(to)];
  expect(start).toBeGreaterThan(0);
  expect(end).toBeGreaterThan(start);
  return spec.slice(start, end);
}

async function printed(...args: readonly string[]): Promise<Record<string, string | null>[]> {
  return JSON.parse((await run([...args, '--json'])).stdout);
}

/** The text of the first capture group in each match. */
function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found);
}

describe('commands match the specification', () => {
  test('ENDPOINTS contains every path in the section "Endpoints" of the specification', () => {
    const named =
      section('\n## Endpoints', '\n## Authentication').match(
        /\/(?:oidc|v1|v0|api\/v[01]|integrations)\/[a-z_.\-/{}A-Z]+/g,
      ) ?? [];
    const known = ENDPOINTS.map(({ endpoint }) =>
      endpoint.replace(/^(GET|POST) /, '').replace(/^\{legacy\w+\}/, ''),
    );
    const missing = new Set(
      named.map((path) => path.replace(/[.,;:]$/, '')).filter((path) => !known.includes(path)),
    );
    expect([...missing]).toEqual([]);
    expect(named.length).toBeGreaterThan(40);
  });

  test('"help errors" lists exactly the codes in the section "Errors"', async () => {
    const tables = all(
      section('\n### Shape 1', '\n### OIDC error codes'),
      /^\| (?:\d{3} \| )?([A-Za-z_]+) \|/gm,
    ).filter((code) => !['Status', 'Code'].includes(code));
    const listed = section('\n### OIDC error codes', '\n### Legacy error body').replace(/^\n.*\n/, '');
    const oidc = all(listed, /([a-z_]+) \(/g);
    const legacy = section('\n### Legacy error body', '\n### Partial success');
    const bare = all(listed, /[,:\n] ?([a-z]+_[a-z_]+)(?=,|\.)/g);
    const codes = new Set([...tables, ...oidc, ...bare]);
    const shown = (await printed('help', 'errors')).map(({ code }) => code ?? '');
    expect([...codes].filter((code) => !shown.includes(code))).toEqual([]);
    expect(codes.size).toBeGreaterThan(25);
    expect(
      shown.filter(
        (code) => !codes.has(code) && !legacy.includes(code.replaceAll('_', ' ')) && !legacy.includes(code),
      ),
    ).toEqual([]);
  });

  test('"help states" lists exactly the states in the section "States and transitions"', async () => {
    const text = section('\n## States and transitions', '\n## Endpoints');
    const accounts = all(section('\n### Integration status', '| From |'), /^\| ([A-Z]+) \|/gm);
    expect(accounts).toHaveLength(7);
    const shown = (await printed('help', 'states')).map(({ state }) => state ?? '');
    const named = [...accounts, 'partially_synced', 'cancelled', 'started', 'completed', 'failed'];
    expect(named.filter((state) => !shown.includes(state))).toEqual([]);
    expect(shown.filter((state) => !text.includes(state))).toEqual([]);
  });

  describe('legacy renames', () => {
    const versioning = () => spec.slice(spec.indexOf('\n## Versioning'));
    const path = /((?:GET|POST|PATCH) \/v[01]\/[\w/{}-]*[\w}])/g;

    test('"legacy renames" lists every row of the table "Renames" in the specification', async () => {
      const rows = [
        ...section('\n### Renames', 'Holding field renames').matchAll(/^\| (\w+ \/.*?) \| (.*?) \|$/gm),
      ];
      const shown = (await printed('legacy', 'renames')).map(({ before, now }) => `${before} is now ${now}`);
      const wanted = rows.map(([, before, now = '']) => `${before} is now ${now.replace(/ \(.*\)$/, '')}`);
      expect(wanted.filter((change) => !shown.includes(change))).toEqual([]);
      expect(wanted.length).toBeGreaterThan(10);
    });

    test('"legacy renames" lists every renamed field of holdings', async () => {
      const sentence = /Holding field renames: (.*?)\. Reconciliation/.exec(spec)?.[1] ?? '';
      const fields = (await printed('legacy', 'renames')).filter(({ kind }) => kind === 'field');
      const renamed = new Map(fields.map(({ before, now }) => [before, now]));
      for (const part of sentence.split('; ')) {
        const [, before = '', after = ''] = /^(\w+)(?: \(.*?\))? (?:to|split into) (.*)$/.exec(part) ?? [];
        expect([part, renamed.has(before)]).toEqual([part, true]);
        for (const name of renamed.get(before)?.split(', ') ?? []) expect(after).toContain(name);
      }
      expect(sentence.split('; ')).toHaveLength(3);
    });

    test('"legacy renames" lists every path that the specification removes or adds', async () => {
      const changes = (await printed('legacy', 'renames')).filter(({ kind }) => kind === 'path');
      const removed = changes.filter(({ now }) => now === null).map(({ before }) => before);
      const added = changes.filter(({ before }) => before === null).map(({ now }) => now);
      const gone = new Set(all(section('\n### Removed without replacement', '\n### Added in'), path));
      const came = all(section('\n### Added in', '\n### Format changes'), path);
      expect([...gone].filter((name) => !removed.includes(name))).toEqual([]);
      expect(came.filter((name) => !added.includes(name))).toEqual([]);
      expect([gone.size, came.length]).toEqual([5, 4]);
    });

    test('"legacy renames" lists only paths from the section "Versioning" of the specification', async () => {
      const changes = (await printed('legacy', 'renames')).filter(({ kind }) => kind === 'path');
      const names = changes.flatMap(({ before, now }) => [before, now]).flatMap((name) => name ?? []);
      const written = names.filter((name) => /^(GET|POST|PATCH) [^?]*$/.test(name));
      expect(written.filter((name) => !versioning().includes(name))).toEqual([]);
      expect(written.length).toBeGreaterThan(25);
    });
  });
});

afterAll(() => {
  if (process.env['UPDATE_REFERENCE']) writeFileSync(DOCUMENT, table());
});

test('docs/coverage.md is up to date, and no cell is empty', () => {
  const text = process.env['UPDATE_REFERENCE'] ? table() : readFileSync(DOCUMENT, 'utf8');
  expect(text).toBe(table());
  for (const line of text.split('\n').filter((row) => row.startsWith('|')))
    expect(line).not.toMatch(/\|\s*\|/);
});

const JOINS = LISTS.flatMap(({ method, path, join }) => (join ? [{ method, path, join }] : []));

function table(): string {
  const row = (...cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  const head = (...cells: readonly string[]) => row(...cells) + row(...cells.map(() => '---'));
  const own = 'test/spec/coverage.test.ts';
  return `# Coverage of the specification

Generated by \`test/spec/coverage.test.ts\`, which runs each command against the sandbox and checks the log of its
requests. The titles of the tests for an endpoint end with the endpoint: \`… [GET /v1/labels]\`.

## Endpoints

${head('endpoint', 'command', 'test')}${ENDPOINTS.map(({ endpoint, line }) => row(`\`${endpoint}\``, `\`cryptodata ${line.join(' ')}\``, (tests.get(endpoint) ?? []).join(', '))).join('')}
## Error codes

${head('code', 'from', 'exit', 'command', 'test')}${ERROR_CATALOGUE.map(({ code, sources, kind }) => row(`\`${code}\``, sources.join(', '), String(EXIT_CODES[kind]), `\`cryptodata help errors ${code}\``, 'test/spec/errors.test.ts')).join('')}
## States

${head('state', 'of', 'command', 'test')}${STATE_CATALOGUE.map(({ state, vocabulary }) => row(`\`${state}\``, vocabulary, `\`cryptodata help states ${state}\``, own)).join('')}
## Fields that are not shown

The specification does not show these fields, except the \`walletId\` of an account. Commands join an account or a spam
asset to legs by the first of its fields that has a value. A value of \`walletId\` or \`assetId\` is always used as the id.
A value of \`id\` is used only if a leg has this value, because \`id\` may have another meaning. If accounts or spam assets
cannot be joined, and legs may belong to them, the output says so. A label may be in any of its fields. If a record has
none of these fields, each of its texts may be the label. Commands use no other field as an id unless the specification
shows the field.

${head('endpoint', 'fields', 'matches')}${JOINS.map(({ method, path, join }) => row(`\`${method} ${path}\``, join.fields.map((name) => `\`${name}\``).join(', '), join.matches)).join('')}
## The change list

${head('before', 'now', 'command', 'test')}${CHANGES.map(({ before, now, kind }) => row(before ?? '(new)', now ?? '(removed)', kind === 'envelope' || kind === 'format' ? '`cryptodata legacy renames`' : `\`cryptodata legacy renames --path "${before ?? now ?? ''}"\``, own)).join('')}`;
}
