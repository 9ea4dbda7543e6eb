import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exits.ts';
import { ERROR_CATALOGUE } from '../../src/core/error-catalogue.ts';
import { CHANGES } from '../../src/core/renames.ts';
import { STATE_CATALOGUE } from '../../src/core/state-catalogue.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { consent } from '../e2e/browser.ts';
import { type Env, ROOT, run, sandboxed, start, temporary } from '../e2e/harness.ts';
import { loginUrl, newcomer } from '../e2e/newcomer.ts';
import { ENDPOINTS, type EndpointRow } from './endpoints.ts';

// docs/coverage.md is made here. After a change: UPDATE_REFERENCE=1 npx vitest run test/spec

const DOCUMENT = join(ROOT, 'docs', 'coverage.md');
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

describe('every endpoint is reached by its command', () => {
  test.each(ENDPOINTS.filter(({ credential }) => credential !== 'session'))('$endpoint', async (row) => {
    await sandbox.reset();
    const { code, stderr } = await run(filled(row), { env: envOf(row) });
    expect(row.exit ?? [0], stderr).toContain(code);
    expect(
      journal().some((line) => row.asked.test(line)),
      journal().join('\n'),
    ).toBe(true);
  });

  test('those of a login and a logout', async () => {
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

  test('and each has a file of tests that names its command', () => {
    for (const { test: file, line, endpoint } of ENDPOINTS) {
      expect(existsSync(join(ROOT, file)), file).toBe(true);
      const [word = ''] = line;
      const named = readFileSync(join(ROOT, file), 'utf8').includes(word === 'token' ? 'introspect' : word);
      expect(named, `${file} names ${word} for ${endpoint}`).toBe(true);
    }
  });
});

describe('every code, state and removed name can be read', () => {
  test('help errors', async () => {
    const shown = JSON.parse((await run(['help', 'errors', '--json'])).stdout);
    expect(shown.map(({ code }: { code: string }) => code)).toEqual(ERROR_CATALOGUE.map(({ code }) => code));
  });

  test('help states', async () => {
    const shown = JSON.parse((await run(['help', 'states', '--json'])).stdout);
    expect(shown.map(({ state }: { state: string }) => state)).toEqual(
      STATE_CATALOGUE.map(({ state }) => state),
    );
  });

  test('legacy renames', async () => {
    const shown = JSON.parse((await run(['legacy', 'renames', '--json'])).stdout);
    expect(shown).toHaveLength(CHANGES.length);
  });
});

describe('the endpoints, errors and states match the specification', () => {
  const spec = () => readFileSync(SPECIFICATION, 'utf8');
  const section = (from: string, to: string) => spec().slice(spec().indexOf(from), spec().indexOf(to));

  test('no path of "Endpoints" is missing', () => {
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

  test('no code of "Errors" is missing', () => {
    const tables = section('\n### Shape 1', '\n### OIDC error codes').matchAll(
      /^\| (?:\d{3} \| )?([A-Za-z_]+) \|/gm,
    );
    const listed = /\n### OIDC error codes[^\n]*\n\n([\s\S]*?)\n\n/.exec(spec())?.[1] ?? '';
    const oidc = listed.matchAll(/(?:^|, )([a-z_]+) \(/g);
    const codes = [...tables, ...oidc]
      .map(([, code = '']) => code)
      .filter((code) => !['Status', 'Code'].includes(code));
    const known = ERROR_CATALOGUE.map(({ code }) => code);
    expect(codes.filter((code) => !known.includes(code))).toEqual([]);
    expect(codes.length).toBeGreaterThan(25);
  });

  test('no state of "States and transitions" is missing', () => {
    const accounts = [...section('\n### Integration status', '| From |').matchAll(/^\| ([A-Z]+) \|/gm)].map(
      ([, state]) => state,
    );
    const known = STATE_CATALOGUE.map(({ state }) => state);
    expect(accounts).toHaveLength(7);
    expect(
      [...accounts, 'partially_synced', 'cancelled', 'started', 'completed', 'failed'].filter(
        (state) => !known.includes(state ?? ''),
      ),
    ).toEqual([]);
  });
});

afterAll(() => {
  if (process.env['UPDATE_REFERENCE']) writeFileSync(DOCUMENT, table());
});

test('docs/coverage.md is this table, and no cell is empty', () => {
  const text = process.env['UPDATE_REFERENCE'] ? table() : readFileSync(DOCUMENT, 'utf8');
  expect(text).toBe(table());
  for (const line of text.split('\n').filter((row) => row.startsWith('|')))
    expect(line).not.toMatch(/\|\s*\|/);
});

function table(): string {
  const row = (...cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  const head = (...cells: readonly string[]) => row(...cells) + row(...cells.map(() => '---'));
  const own = 'test/spec/coverage.test.ts';
  return `# What of the specification is reached, and by what

Made by \`test/spec/coverage.test.ts\`, which runs each command against the sandbox and looks into its journal.

## Endpoints

${head('endpoint', 'command', 'test')}${ENDPOINTS.map(({ endpoint, line, test: file }) => row(`\`${endpoint}\``, `\`cryptodata ${line.join(' ')}\``, file)).join('')}
## Error codes

${head('code', 'from', 'exit', 'command', 'test')}${ERROR_CATALOGUE.map(({ code, sources, kind }) => row(`\`${code}\``, sources.join(', '), String(EXIT_CODES[kind]), `\`cryptodata help errors ${code}\``, 'test/spec/errors.test.ts')).join('')}
## States

${head('state', 'of', 'command', 'test')}${STATE_CATALOGUE.map(({ state, vocabulary }) => row(`\`${state}\``, vocabulary, `\`cryptodata help states ${state}\``, own)).join('')}
## The change list

${head('before', 'now', 'command', 'test')}${CHANGES.map(({ before, now, kind }) => row(before ?? '(new)', now ?? '(removed)', kind === 'envelope' || kind === 'format' ? '`cryptodata legacy renames`' : `\`cryptodata legacy renames --path "${before ?? now ?? ''}"\``, 'test/e2e/legacy.test.ts')).join('')}`;
}
