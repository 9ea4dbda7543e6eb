// Valid deliveries. They follow the specification and do not use the tested code.

import { createReadStream } from 'node:fs';

import type { JsonRecord } from '../../src/core/json.ts';
import { type DeliveryEntry, linesInFile, parseEntry } from '../../src/events/entry.ts';

const ACCOUNT: JsonRecord = {
  provider: 'kraken',
  providerPublicName: 'Kraken',
  publicAddress: '',
  walletId: 'w1',
  logoUrl: '',
  isContract: false,
  alias: '',
  status: 'COMPLETED',
  addedOn: 1735689600000,
  lastSyncedAt: 0,
  category: 'exchange',
  type: 'api',
  totalTransactions: 12,
};

export function account(more: JsonRecord = {}): JsonRecord {
  return { ...ACCOUNT, ...more };
}

export function run(category: 'transfer_detection' | 'costbasis', status: string): JsonRecord {
  return {
    action: category === 'costbasis' ? 'ACCOUNT_MANAGER' : 'DETECT_TRANSFER',
    status,
    reason: status === 'failed' ? 'it broke' : null,
    timestamp: 1735689600000,
  };
}

export function envelope(event = 'integration.updated', data: JsonRecord = account(), more: JsonRecord = {}) {
  return {
    id: 'whd_1',
    event,
    timestamp: '2025-01-01T00:00:00.000Z',
    grant_id: 'cgrant_1',
    workspace_id: 'ws_1',
    data,
    ...more,
  };
}

export function bytes(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Returns the lines of a store. If a line is invalid, its `entry` is undefined. */
export async function readStore(path: string): Promise<{ line: number; entry: DeliveryEntry | undefined }[]> {
  const lines: { line: number; entry: DeliveryEntry | undefined }[] = [];
  for await (const { number, bytes } of linesInFile(createReadStream(path))) {
    if (bytes?.length !== 0) lines.push({ line: number, entry: bytes && parseEntry(bytes.toString('utf8')) });
  }
  return lines;
}
