import { type Column, type Columns, valueAt } from '../../output/columns.ts';
import { isoText } from '../../output/moments.ts';

const time: Column = {
  key: 'time',
  from: 'timestamp',
  derive: (record, view) => isoText(record['timestamp'], view.timeZone ?? 'UTC'),
};

/** Every field of a ledger, in the order of the service's specification ("Ledger"); `time` is `timestamp` as ISO 8601. */
const csv: readonly Column[] = [
  { key: 'id' },
  { key: 'transactionId' },
  { key: 'workspaceId' },
  { key: 'type' },
  { key: 'assetId' },
  { key: 'assetRaw.symbol' },
  { key: 'quantity' },
  { key: 'baseCurrency' },
  { key: 'price.price' },
  { key: 'price.baseCurrency' },
  { key: 'price.timestamp' },
  { key: 'price.source' },
  { key: 'value' },
  { key: 'timestamp' },
  time,
  { key: 'walletId' },
  { key: 'syncId' },
  { key: 'fromAccount.provider' },
  { key: 'fromAccount.walletId' },
  { key: 'toAccount.provider' },
  { key: 'toAccount.walletId' },
  { key: 'label' },
  { key: 'description' },
  { key: 'internalLabel' },
  { key: 'isEdited' },
  { key: 'beforeBalance' },
  { key: 'afterBalance' },
  { key: 'costbasis' },
  { key: 'proceeds' },
  { key: 'profit' },
  { key: 'debitCoaCode' },
  { key: 'creditCoaCode' },
  { key: 'isDebitCoaEdited' },
  { key: 'isCreditCoaEdited' },
  { key: 'asset.symbol' },
  { key: 'asset.name' },
  { key: 'asset.logoUrl' },
  { key: 'asset.type' },
];

export const LEDGER_COLUMNS: Columns = {
  table: [
    { key: 'timestamp', header: 'time', moment: true },
    { key: 'type' },
    { key: 'quantity', figure: true },
    { key: 'asset.symbol', header: 'asset', derive: (record) => symbolOf(record) },
    { key: 'value', figure: true },
    { key: 'baseCurrency', header: 'currency' },
    { key: 'afterBalance', header: 'balance after', figure: true },
    { key: 'walletId', header: 'wallet' },
    { key: 'label' },
    { key: 'id' },
  ],
  csv,
};

function symbolOf(record: Record<string, unknown>): unknown {
  return valueAt(record, 'asset.symbol') ?? valueAt(record, 'assetRaw.symbol');
}
