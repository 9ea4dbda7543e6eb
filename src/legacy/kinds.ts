import { isRecord, type JsonRecord } from '../core/json.ts';

/** What the records of a document are, which decides over their names and their envelope. */
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

/** Names under which lists stand in answers. */
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

/** Fields that one kind of record has in the previous API, and no other. */
const MARKS: readonly (readonly [Kind, readonly string[]])[] = [
  ['nfts', ['ercType', 'erc_type', 'isNftSpam', 'is_nft_spam', 'nftUrl', 'nft_url']],
  ['defi', ['portfolio_entry', 'portfolioEntry']],
  ['holdings', ['roi', '24hrChange', 'roiPercentage', 'change24hPercentage']],
  ['transactions', ['incomingAssets', 'incoming_assets', 'outgoingAssets', 'outgoing_assets']],
  ['providers', ['isAPI', 'isCSV', 'isOAuth', 'importMethods']],
];

/** The kind that a document shows by its records, else by the name of its list. */
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

/** Whether any row has a field that only this kind has. */
export function isMarked(rows: readonly unknown[], kind: Kind): boolean {
  const fields = MARKS.find(([marked]) => marked === kind)?.[1] ?? [];
  return rows.some((row) => isRecord(row) && fields.some((field) => Object.hasOwn(row, field)));
}

/** What stands beside rows, and is never rows itself. */
const BESIDE = new Set(['user_id', 'userId', 'timestamp', 'success', 'pagination', 'meta', 'summary']);

/**
 * The path of the list in an answer; undefined where it is one record.
 *
 * @param kind what the records are: of several lists, the one that is named for it or whose rows show it is meant
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
    // A record may have a list of its own: only paging beside it shows that a list of another name is the answer.
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
