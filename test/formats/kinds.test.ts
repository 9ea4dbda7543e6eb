import { expect, test } from 'vitest';
import type { Column } from '../../src/formats/columns.ts';
import { exactLedgerKind, ledgerKind, openKind, textKind } from '../../src/formats/kinds.ts';
import { sumKind, xlsxSumKind } from '../../src/formats/summed-file.ts';

const derive = () => '';

test.each<[Column, string]>([
  [{ key: 'quantity' }, 'decimal'],
  [{ key: 'price.price' }, 'number'],
  [{ key: 'timestamp' }, 'moment'],
  [{ key: 'isEdited' }, 'boolean'],
  [{ key: 'unknown' }, 'text'],
  [{ key: 'quantity', derive }, 'text'],
  [{ key: 'time', isTime: true, derive }, 'time'],
])('the ledger column %j has the kind %s', (column, kind) => {
  expect(ledgerKind(column)).toBe(kind);
  expect(exactLedgerKind(column)).toBe(kind === 'number' ? 'text' : kind);
  expect(textKind(column)).toBe('text');
});

test.each<[Column, string]>([
  [{ key: 'amount', figure: true }, 'decimal'],
  [{ key: 'amount' }, 'text'],
  [{ key: 'walletId', figure: true }, 'text'],
  [{ key: 'txHash', figure: true }, 'text'],
  [{ key: 'code', figure: true }, 'text'],
  [{ key: 'timestamp' }, 'count'],
  [{ key: 'a.Timestamp' }, 'count'],
  [{ key: 'notimestamp', figure: true }, 'decimal'],
  [{ key: 'time', isTime: true, figure: true }, 'time'],
])('the column %j of an unspecified field has the kind %s', (column, kind) => {
  expect(openKind(column)).toBe(kind);
});

test.each([
  ['net', 'decimal', 'decimal'],
  ['incomingValue', 'text', 'decimal'],
  ['day', 'day', 'day'],
  ['legs', 'count', 'count'],
  ['netUnknown', 'count', 'count'],
  ['walletId', 'text', 'text'],
  ['afterBalance', 'decimal', 'decimal'],
  ['price.price', 'number', 'number'],
])('the sum column %s has the kind %s, and in XLSX the kind %s', (key, kind, inWorkbook) => {
  expect([sumKind({ key }), xlsxSumKind({ key })]).toEqual([kind, inWorkbook]);
});
