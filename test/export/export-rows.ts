import { Claim } from '../../src/core/claim.ts';
import { AccountNames } from '../../src/export/account-names.ts';
import { exportToFile, type LedgerCopy } from '../../src/export/ledger-export.ts';
import { ResumeLog } from '../../src/export/resume-log.ts';
import { SegmentWriter } from '../../src/export/segment.ts';
import { asServed } from '../../src/formats/columns.ts';
import { LEDGER_COLUMNS } from '../../src/formats/ledger-columns.ts';
import { FORMATS } from '../../src/formats/registry.ts';
import { rowWith } from '../rows.ts';

/** Exports rows that contain `text` to `path`. */
export type RunExport = (path: string, text: string, overwrite: boolean) => Promise<unknown>;

/** Returns a function that exports two rows without a service. */
export function exportRows(format: 'jsonl' | 'parquet', more: Partial<LedgerCopy> = {}): RunExport {
  return (path, text, overwrite) =>
    exportToFile(
      {
        ...{
          selection: { filters: {}, span: {}, sent: {} },
          identity: {},
          accountNames: AccountNames.of({}),
          signal: new AbortController().signal,
        },
        ...{ layout: layoutOf(format), overwrite, ...more },
        async copy({ directory }) {
          const frozen = { range: undefined, filled: undefined, total: 1, at: '', newest: [] };
          const log = await ResumeLog.begin(directory, { identity: {}, frozen, segments: [] });
          const writer = new SegmentWriter(directory);
          await writer.begin('1');
          for (const walletId of ['a', 'b']) {
            const record = { id: `${text}-${walletId}`, timestamp: 1, walletId };
            writer.add(rowWith({ id: record.id, time: 1, text: `${JSON.stringify(record)}\n` }));
          }
          const rows = { span: undefined, rows: 2, total: 2, beyond: [], reads: 1 };
          const segment = { ...rows, ...(await writer.finish()) };
          await log.add(segment);
          await log.close();
          const claim = Claim.verified({ by: 'totals', t0: '', t1: '' });
          return { segments: [segment], claim, unchecked: [], evidence: {} };
        },
      },
      path,
      'restart',
    );
}

const layoutOf = (format: 'jsonl' | 'parquet'): LedgerCopy['layout'] => ({
  ...{ format: FORMATS[format], columns: LEDGER_COLUMNS.csv, known: LEDGER_COLUMNS.csv, shape: asServed },
  ...{ whole: true, view: { timeZone: 'UTC' }, guard: true, dialect: 'plain' },
  ...{ parquetDecimals: 'decimal', parquetNumbers: 'string' },
});
