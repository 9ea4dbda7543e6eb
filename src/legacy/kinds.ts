import { isRecord, type JsonRecord } from '../base/json.ts';

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
  const name = listIn(record);
  const rows = Array.isArray(document) ? document : name ? at(record, name) : [record['data'] ?? document];
  for (const [kind, fields] of MARKS) {
    if (rows.some((row) => isRecord(row) && fields.some((field) => Object.hasOwn(row, field)))) return kind;
  }
  return LIST_NAMES[name?.at(-1) ?? ''] ?? 'other';
}

/** What stands beside rows, and is never rows itself. */
const BESIDE = new Set(['user_id', 'timestamp', 'success', 'pagination', 'meta', 'summary']);

/** The path of the list in an answer; undefined where it is one record. */
export function listIn(document: JsonRecord): readonly string[] | undefined {
  const { data } = document;
  if (Array.isArray(data)) return ['data'];
  const holder = isRecord(data) ? data : document;
  const lists = Object.keys(holder).filter((name) => Array.isArray(holder[name]) && !BESIDE.has(name));
  const known = lists.filter((name) => Object.hasOwn(LIST_NAMES, name));
  // A record may have a list of its own: only paging beside it shows that a list of another name is the answer.
  const [only, more] = known.length > 0 ? known : 'pagination' in holder ? lists : [];
  if (only === undefined || more !== undefined) return undefined;
  return holder === document ? [only] : ['data', only];
}

function at(document: JsonRecord, path: readonly string[]): readonly unknown[] {
  let value: unknown = document;
  for (const name of path) value = isRecord(value) ? value[name] : undefined;
  return Array.isArray(value) ? value : [];
}
