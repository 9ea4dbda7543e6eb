// Checks that audits of these legs and of the sandbox print the example messages in docs/audit.md.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { CHECK_NAMES } from '../../src/books/audit/checks/index.ts';
import type { Finding } from '../../src/books/audit/findings.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { writeBooks } from './books.ts';
import { runHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 1500 });
const directory = await mkdtemp(join(tmpdir(), 'cryptodata-docs-audit-'));
afterAll(async () => {
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

const legs: JsonRecord[] = [];

function leg(
  type: 'incoming' | 'outgoing',
  quantity: string,
  symbol: string,
  [beforeBalance, afterBalance]: readonly [string | null, string | null],
  more: JsonRecord = {},
): void {
  const id = `led_${legs.length + 1}`;
  legs.push({
    ...{ id, transactionId: `txn_${legs.length + 1}`, type, quantity, beforeBalance, afterBalance },
    ...{ walletId: 'kraken', assetId: `ast_${symbol}`, asset: { symbol }, assetRaw: { symbol } },
    ...{ timestamp: Date.UTC(2025, 0, 1 + legs.length), label: 'Payment', baseCurrency: 'EUR' },
    ...{ price: { price: 20 }, syncId: 'syn_1', debitCoaCode: '1510', creditCoaCode: '4000' },
    ...{ costbasis: '100', proceeds: '150', profit: '50', ...more },
  });
}

leg('incoming', '10', 'SOL', ['0', '10']);
leg('outgoing', '12', 'SOL', ['10', '-2']);
leg('outgoing', '3', 'SOL', ['-2', '-5'], { costbasis: '0', proceeds: '150', profit: '150' });
leg('incoming', '5', 'DOT', [null, null]);
leg('incoming', '2.5', 'DOT', [null, null]);
leg('incoming', '1', 'ETH', ['3.5', '4.5']);
leg('outgoing', '40', 'XRP', ['0', '-40']);
leg('incoming', '100', 'ADA', ['0', '100']);
leg('incoming', '10', 'ADA', ['150', '160']);
leg('incoming', '10', 'LINK', ['0', '10']);
leg('outgoing', '2', 'LINK', ['10', '9']);
leg('incoming', '1', 'BTC', ['0', '1']);
leg('outgoing', '0.4', 'BTC', ['1', '0.6'], { label: 'Withdrawal' });
leg('incoming', '25', 'ATOM', ['0', '25'], { timestamp: Date.UTC(2025, 1, 1) });
leg('incoming', '25', 'ATOM', ['25', '50'], { timestamp: Date.UTC(2025, 1, 1, 0, 0, 3), syncId: 'syn_2' });
leg('incoming', '900', 'SHIB', ['0', '900'], { price: null });
leg('incoming', '700', 'SHIB', ['900', '1600']);
leg('incoming', '8', 'XYZ', ['0', '8'], { assetId: null, price: null });
leg('incoming', '50', 'USDC', ['0', '50']);
leg('incoming', '60', 'USDC', ['0', '60'], { assetId: 'ast_fake' });
leg('incoming', '30', 'AVAX', ['0', '30'], { costbasis: null });
leg('incoming', '4', 'UNI', ['0', '4'], { profit: '40' });
leg('incoming', '6', 'AAVE', ['0', '6'], { creditCoaCode: null });
leg('incoming', '3', 'LTC', ['0', '3']);
leg('incoming', '3', 'LT\u0421', ['0', '3']);
leg('outgoing', '100', 'DAI', ['100', '0'], { label: '' });
leg('incoming', '99', 'DAI', ['0', '99'], {
  ...{ label: '', walletId: 'ledger', timestamp: Date.UTC(2025, 0, 1 + legs.length, -22) },
});

async function printed(...args: string[]): Promise<Finding[]> {
  const { stdout } = await runHere(['audit', '--jsonl', ...args], sandbox.env);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

interface Section {
  /** The checks that the section heading names. */
  readonly checks: readonly string[];
  /** The quoted messages. */
  readonly quotes: readonly string[];
}

async function sections(): Promise<Section[]> {
  const page = await readFile(fileURLToPath(new URL('../../docs/audit.md', import.meta.url)), 'utf8');
  const [, ...parts] = page.split(/^### /m);
  return parts.map((part) => {
    const [title = ''] = part.split('\n', 1);
    const quotes = [...part.matchAll(/(?:^> .*\n)+/gm)].map(([quote]) =>
      quote.replaceAll(/^> /gm, '').trim().replaceAll('\n', ' '),
    );
    return { checks: [...title.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name), quotes };
  });
}

test('docs/audit.md explains every check in order, with messages that the tool prints', async () => {
  const byTime = legs.toSorted((left, right) => Number(left['timestamp']) - Number(right['timestamp']));
  const file = await writeBooks(join(directory, 'books.jsonl'), byTime);
  const findings = [
    ...(await printed('--file', file)),
    ...(await printed('--to', '2025-12-31', '--min-total-gains', '1000')),
  ];
  const documented = await sections();
  expect(documented.flatMap(({ checks }) => checks)).toEqual(CHECK_NAMES);
  for (const { checks, quotes } of documented) {
    expect(quotes.length, checks.join()).toBeGreaterThan(0);
    const messages = findings.filter(({ check }) => checks.includes(check)).map(({ message }) => message);
    for (const quote of quotes) expect(messages, checks.join()).toContain(quote);
  }
});
