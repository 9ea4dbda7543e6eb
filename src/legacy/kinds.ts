import { isRecord, type JsonRecord } from '../core/json.ts';

/** The kind of a record determines its field names and its envelope. */
export const KINDS = [
  'holdings',
  'nfts',
  'defi',
  'transactions',
  'integrations',
  'providers',
  'other',
] as const;
export type Kind = (typeof KINDS)[number];

/** Maps the name of a list in a response to the kind of its records. */
const LIST_NAMES: Readonly<Record<string, Kind>> = {
  holdings: 'holdings',
  nfts: 'nfts',
  defi: 'defi',
  transactions: 'transactions',
  wallets: 'integrations',
  integrations: 'integrations',
  providers: 'providers',
  counterparties: 'other',
  labels: 'other',
  label_types: 'other',
  assets: 'other',
};

/** Each of these fields occurs in only one kind, so it identifies the kind. */
const MARKS: readonly (readonly [Kind, readonly string[]])[] = [
  ['nfts', ['ercType', 'erc_type', 'isNftSpam', 'is_nft_spam', 'nftUrl', 'nft_url']],
  ['defi', ['portfolio_entry', 'portfolioEntry']],
  ['holdings', ['roi', '24hrChange', 'roiPercentage', 'change24hPercentage']],
  ['transactions', ['incomingAssets', 'incoming_assets', 'outgoingAssets', 'outgoing_assets']],
  ['providers', ['isAPI', 'isCSV', 'isOAuth', 'importMethods']],
];

/** Detects the kind of a document from its records. If the records do not show the kind, the name of the list decides. */
export function kindOf(document: unknown): Kind {
  const record = isRecord(document) ? document : {};
  const holder = isRecord(record['data']) ? record['data'] : record;
  const lists = listsIn(holder);
  const rows = Array.isArray(document)
    ? document
    : [holder, document, ...lists.flatMap((name) => rowsAt(holder, name)), ...rowsAt(record, 'data')];
  const shown = MARKS.find(([kind]) => isMarked(rows, kind));
  if (shown) return shown[0];
  const named = lists.filter((name) => Object.hasOwn(LIST_NAMES, name)).map((name) => LIST_NAMES[name]);
  return named.length === 1 ? (named[0] ?? 'other') : 'other';
}

/** Whether at least one row has a field that identifies this kind. */
export function isMarked(rows: readonly unknown[], kind: Kind): boolean {
  const fields = MARKS.find(([marked]) => marked === kind)?.[1] ?? [];
  return rows.some((row) => isRecord(row) && fields.some((field) => Object.hasOwn(row, field)));
}

/** Envelope fields that never contain the rows. */
const BESIDE = new Set(['user_id', 'userId', 'timestamp', 'success', 'pagination', 'meta', 'summary']);

/**
 * Returns the path of the list of rows in a response. Returns undefined if the response is a single record, or if several lists
 * may contain the rows.
 *
 * @param kind the kind of the list to return if the response has several lists
 */
export function listIn(document: JsonRecord, kind: Kind = 'other'): readonly string[] | undefined {
  const { data } = document;
  if (Array.isArray(data)) return ['data'];
  const holder = isRecord(data) ? data : document;
  const lists = listsIn(holder);
  const choices = [
    lists.filter((name) => kind !== 'other' && LIST_NAMES[name] === kind),
    lists.filter((name) => isMarked(rowsAt(holder, name), kind)),
    lists.filter((name) => Object.hasOwn(LIST_NAMES, name)),
    // If the response has no pagination, a list with an unknown name may be a field of a single record.
    isRecord(holder['pagination']) ? lists : [],
  ];
  const [only, more] = choices.find((names) => names.length > 0) ?? [];
  if (only === undefined || more !== undefined) return undefined;
  return holder === document ? [only] : ['data', only];
}

function listsIn(holder: JsonRecord): string[] {
  return Object.keys(holder).filter((name) => Array.isArray(holder[name]) && !BESIDE.has(name));
}

function rowsAt(holder: JsonRecord, name: string): readonly unknown[] {
  const rows = holder[name];
  return Array.isArray(rows) ? rows : [];
}
