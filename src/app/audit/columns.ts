import { arrayOf, bool, int, nullable, text, word } from '../../api/records.ts';
import { SEVERITIES } from '../../books/audit/check.ts';
import { CHECK_NAMES } from '../../books/audit/checks/index.ts';
import { type Finding, PLACES } from '../../books/audit/findings.ts';
import { sameColumns } from '../../cli/common-flags.ts';
import { made, ofSchema, optional, part } from '../../cli/output.ts';
import type { JsonRecord } from '../../core/json.ts';
import type { Columns } from '../../formats/columns.ts';
import { isoText } from '../../formats/moments.ts';
import type { Accounts } from '../accounts.ts';
import { pairFields } from '../pair-choice.ts';

export const CAUSE = made({
  cause: text,
  confidence: word('high', 'medium', 'low'),
  evidence: text,
  action: text,
  next: text,
  beforePeriod: optional(bool),
});

export function namedFinding(finding: Finding, accounts: Accounts) {
  return { ...finding, wallet: accounts.nameOf(finding.walletId) ?? null };
}

export const FINDING = made({
  id: text,
  check: word(...CHECK_NAMES),
  severity: word(...SEVERITIES),
  place: word(...PLACES),
  ...pairFields,
  assets: optional(arrayOf(part({ assetId: nullable(text), symbol: nullable(text) }))),
  ledgerId: nullable(text),
  transactionId: nullable(text),
  timestamp: nullable(int),
  legs: nullable(int),
  ...{ expected: nullable(text), actual: nullable(text), amount: nullable(text) },
  ...{ value: nullable(text), baseCurrency: nullable(text), pricedAt: nullable(int) },
  message: text,
  causes: arrayOf(ofSchema(CAUSE)),
  next: text,
  reason: optional(text),
});

export const FINDING_COLUMNS: Columns = {
  table: [
    { key: 'severity', state: true, whole: true },
    // A narrow table can omit this column, because each finding id begins with the name of its check.
    { key: 'check', drop: 2 },
    { key: 'wallet', derive: ({ wallet, walletId }) => wallet ?? walletId },
    { key: 'symbol', header: 'asset' },
    { key: 'timestamp', header: 'time', moment: true },
    { key: 'amount', figure: true, unit: 'symbol' },
    { key: 'message', sentence: true },
    { key: 'id' },
  ],
  csv: [
    ...[
      'id',
      'check',
      'severity',
      'walletId',
      'wallet',
      'assetId',
      'symbol',
      'ledgerId',
      'transactionId',
    ].map((key) => ({ key })),
    { key: 'timestamp' },
    { key: 'time', derive: ({ timestamp }, { timeZone }) => isoText(timestamp, timeZone) },
    ...['legs', 'expected', 'actual', 'amount', 'value', 'baseCurrency'].map((key) => ({ key })),
    { key: 'pricedAt', derive: ({ pricedAt }, { timeZone }) => isoText(pricedAt, timeZone) },
    { key: 'message' },
    { key: 'likelyCause', derive: firstCause('cause') },
    { key: 'evidence', derive: firstCause('evidence') },
    { key: 'next' },
  ],
};

function firstCause(name: string): (record: JsonRecord) => unknown {
  return ({ causes }) => (Array.isArray(causes) ? (causes[0]?.[name] ?? null) : null);
}

export const CAUSE_COLUMNS = sameColumns(
  { key: 'cause', whole: true },
  'confidence',
  { key: 'evidence', sentence: true },
  { key: 'action', sentence: true },
  { key: 'next', command: true },
);

export const EXPLAINED_COLUMNS = sameColumns(
  { key: 'problem', sentence: true },
  { key: 'atStake', header: 'at stake', sentence: true },
  { key: 'action', sentence: true },
  { key: 'next', command: true },
);

const PLACE_NAMES: Readonly<Record<string, string>> = {
  ...{ deepest: 'deepest in period', deepestOfAll: 'deepest of all' },
};

export const NEIGHBOUR_COLUMNS: Columns = {
  table: [
    { key: 'place', header: '', derive: ({ place }) => PLACE_NAMES[String(place)] ?? place },
    { key: 'timestamp', header: 'time', moment: true },
    { key: 'type' },
    { key: 'quantity', figure: true },
    { key: 'beforeBalance', header: 'balance before', figure: true },
    { key: 'afterBalance', header: 'balance after', figure: true },
    { key: 'isEdited', header: 'edited', drop: 1 },
    { key: 'syncId', header: 'sync', drop: 2 },
    { key: 'id' },
  ],
  csv: [
    'place',
    'timestamp',
    'type',
    'quantity',
    'beforeBalance',
    'afterBalance',
    'isEdited',
    'syncId',
    'id',
  ].map((key) => ({ key })),
};
