import { symbolOf } from '../../api/ledgers.ts';
import type { Column, Columns } from '../../formats/columns.ts';
import { isoText } from '../../formats/moments.ts';

const time: Column = {
  key: 'time',
  from: 'timestamp',
  isTime: true,
  derive: (record, view) => isoText(record['timestamp'], view.timeZone),
};

/** Every field of a ledger, in the order of the service's specification ("Ledger"); `time` is `timestamp` as ISO 8601. */
const csv: readonly Column[] = [
  { key: 'id' },
  { key: 'transactionId' },
  { key: 'workspaceId', internal: true },
  { key: 'type' },
  { key: 'assetId' },
  { key: 'assetRaw.symbol' },
  { key: 'quantity' },
  { key: 'baseCurrency' },
  { key: 'price.price' },
  { key: 'price.baseCurrency' },
  { key: 'price.timestamp', internal: true },
  { key: 'price.source' },
  { key: 'value' },
  { key: 'timestamp', internal: true },
  time,
  { key: 'walletId' },
  { key: 'syncId', internal: true },
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
  { key: 'asset.logoUrl', internal: true },
  { key: 'asset.type' },
];

export const LEDGER_COLUMNS = ledgerColumns();

/** Columns of ledgers; a table shows accounts by name, if names are given. */
export function ledgerColumns(nameOf: NameOf = () => undefined): Columns {
  return { table: tableOf(nameOf), csv };
}

/** The name of an account. */
export type NameOf = (walletId: unknown) => string | undefined;

function tableOf(nameOf: NameOf): readonly Column[] {
  return [
    { key: 'timestamp', header: 'time', moment: true },
    { key: 'type' },
    { key: 'quantity', figure: true },
    { key: 'asset.symbol', header: 'asset', derive: (record) => symbolOf(record) },
    { key: 'value', figure: true },
    { key: 'baseCurrency', header: 'currency' },
    { key: 'afterBalance', header: 'balance after', figure: true },
    { key: 'wallet', derive: ({ walletId }) => nameOf(walletId) ?? walletId },
    { key: 'label' },
    { key: 'id', whole: true },
  ];
}
