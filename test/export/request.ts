import type { Dispatcher } from 'undici';
import { connect } from '../../src/client/connect.ts';
import type { LedgerFilters } from '../../src/client/nouns.ts';
import type { Credentials } from '../../src/core/credentials.ts';
import { AccountNames } from '../../src/export/account-names.ts';
import type { LedgerExport } from '../../src/export/ledger-export.ts';
import { asServed } from '../../src/formats/columns.ts';
import { FORMATS } from '../../src/formats/registry.ts';

export interface Asked {
  readonly windowRows?: number | undefined;
  readonly filters?: LedgerFilters;
  readonly span?: { from?: number; to?: number };
  readonly patience?: number;
  readonly credentials?: Credentials;
  readonly signal?: AbortSignal;
}

/** Returns the settings to export all fields from a test server. Waits are simulated, so tests do not have to wait. */
export function exportRequest(url: string, dispatcher: Dispatcher, asked: Asked): LedgerExport {
  const {
    windowRows,
    filters = {},
    span = {},
    patience = 0,
    credentials,
    signal = new AbortController().signal,
  } = asked;
  let now = 0;
  const client = connect({
    addresses: () => url,
    dispatcher,
    credentials,
    userAgent: 'test',
    retries: 8,
    random: () => 0.5,
    clock: {
      now: () => now,
      sleep: async (milliseconds) => {
        now += milliseconds;
      },
    },
  });
  return {
    client,
    accountNames: AccountNames.of({}),
    selection: { filters, span, sent: {} },
    layout: {
      ...{ format: FORMATS.jsonl, columns: [], known: [], shape: asServed, whole: true },
      ...{ view: { timeZone: 'UTC' }, guard: true, dialect: 'plain' },
      ...{ parquetDecimals: 'decimal', parquetNumbers: 'string' },
    },
    identity: { span },
    concurrency: 4,
    patience,
    signal,
    now: Date.now,
    backoff: 0,
    windowRows,
  };
}
