import { describe, expect, test } from 'vitest';
import { messagesOf, run, sandboxed } from './harness.ts';

const { env } = await sandboxed({ rows: 300 });

describe('with -o json, every line of stderr is a JSON object', () => {
  test.for<[string, number, NodeJS.ProcessEnv?]>([
    ['ledgers --json', 0],
    ['ledgers --jsonl --debug', 0],
    ['ledgers -o json --all --debug', 0],
    ['ledgers --debug', 0, { CRYPTODATA_OUTPUT: 'jsonl' }],
    ['ledgers --jq length', 0],
    ['ledgers --json', 0, { TZ: 'Nowhere/Land' }],
    ['ledgers list --period 2025 --providers binance --json', 0],
    ['ledgers get nosuch --json', 5],
    ['ledgers get nosuch --json --debug', 5],
    ['api GET /v1/ledgers --include --json', 0],
    ['api POST /v1/x --json', 2],
    ['api /api/v1/holdings --json --debug', 5],
    ['ledgers export --out /dev/null/x --json', 2],
    ['audit --json', 0],
    ['sync status --json', 0],
    ['sync watch nosuch --json', 5],
    ['csv check nosuch.csv --json', 2],
    ['completion --json', 2],
    ['events --json', 2],
    ['nosuch --json', 2],
    ['ledgers list --nosuch --json', 2],
    ['ledgers list --limit 0 --jsonl --debug', 2],
    ['ledgers -p nosuch --json', 2],
    ['doctor --json', 0],
    ['schema nosuch --json', 5],
    // These variables make Node print a warning.
    ['ledgers --json', 0, { NODE_OPTIONS: '--pending-deprecation', NODE_PENDING_DEPRECATION: '1' }],
  ])('cryptodata %s', async ([line, code, more = {}]) => {
    const result = await run(line.split(' '), { env: { ...env, ...more } });
    expect(result.code, result.stderr).toBe(code);
    const messages = messagesOf(result.stderr);
    expect(messages.error === undefined).toBe(code === 0);
  });
});
