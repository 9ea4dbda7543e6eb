import { assets } from '../../api/assets.ts';
import { pickFilters } from '../../api/filters.ts';
import { int, nullable, text as string } from '../../api/records.ts';
import { listVerb, printsOf } from '../../app/lists.ts';
import { assetsOf, newestLegs } from '../../app/seen.ts';
import { textFlag } from '../../cli/flags.ts';
import type { Rows } from '../../cli/outcome.ts';
import { listOf, made, served } from '../../cli/output.ts';
import { listParametersOf } from '../../cli/parameters.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { toldApart } from '../../core/look-alikes.ts';
import { nearMatches } from '../../core/nearest.ts';
import { count, plural, showText } from '../../core/text.ts';
import type { Column, Columns } from '../../formats/columns.ts';

const FOUND = { assetId: nullable(string), symbol: string, name: string, type: string, legs: int };

export const search = listVerb(assets, {
  name: 'search',
  summary: 'Find assets by symbol, name, id or contract address',
  about:
    "Searches the assets in your newest ledgers for TEXT. The service's own search covers more assets, but its only documented parameter is contractAddress. If you know which query parameter accepts text, pass its name with --text-parameter.",
  operands: [{ written: '[text]', describe: 'all or part of a symbol, name or id' }],
  flags: {
    textParameter: textFlag('--text-parameter <name>', 'name of the query parameter for TEXT'),
  },
  examples: {
    'Find the id of an asset in your books': 'cryptodata assets LINK',
    'Find an asset by its contract address':
      'cryptodata assets search --contract-address 0xdac17f958d2ee523a2206206994597c13d831ec7',
    "Use the service's own search, with q as the query parameter for the text":
      'cryptodata assets search bitcoin --text-parameter q',
  },
  prints: `${printsOf(assets)}\nWith TEXT alone: records { assetId, symbol, name, type, legs }. The field "legs" counts the legs of the asset in the searched ledgers.`,
  output: [listOf(served(assets.record)), listOf(made(FOUND), 'with TEXT alone')],
  async instead(context, values, given) {
    const { textParameter, parameters, limit, offset } = values;
    const filters = Object.values(pickFilters(assets.filters, values));
    const byService = [textParameter, parameters, ...filters].some((value) => value !== undefined);
    if (given === undefined || byService) return undefined;
    return assetsInLedgers(context, given, { limit, offset });
  },
  async select(_, { textParameter, parameters }, given) {
    return { query: { extra: { ...textQuery(given, textParameter), ...listParametersOf(parameters) } } };
  },
  listing: (client, query) => client.assets.search(query),
});

function textQuery(given: string | undefined, name: string | undefined): Record<string, string> {
  if (given !== undefined && name !== undefined) return { [name]: given };
  if (given === undefined && name === undefined) return {};
  if (given === undefined)
    throw usageError(`TEXT is missing, so the parameter ${name} has no value`, 'Add TEXT after "search".');
  throw usageError(
    'TEXT cannot be combined with --contract-address or -q',
    'Omit TEXT, or omit --contract-address and -q. Send TEXT in a query parameter with --text-parameter NAME.',
  );
}

interface Shown {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}

/**
 * Searches the newest legs. The service's own search is not used: the specification describes neither its text parameter nor
 * its response.
 */
async function assetsInLedgers(
  context: Context,
  given: string,
  { limit = Number.POSITIVE_INFINITY, offset = 0 }: Shown,
): Promise<Rows> {
  const { legs, partial } = await newestLegs(await context.client(), context.signal);
  const known = assetsOf(legs);
  const wanted = given.toLowerCase();
  const found = known.filter(({ id, symbol, name }) =>
    [id ?? '', symbol, name].some((text) => text.toLowerCase().includes(wanted)),
  );
  const named = known.map(({ id, symbol, name }) => ({ value: symbol, names: [name, id ?? ''] }));
  const near = [...new Set(nearMatches(given, named).map(({ value }) => showText(toldApart(value))))];
  const means = near.length === 0 || found.length > 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  const matches = `${count(found.length)} of ${plural(known.length, 'asset', 'assets')} in your ledgers ${found.length === 1 ? 'matches' : 'match'}.`;
  return {
    kind: 'rows',
    rows: found
      .slice(offset, offset + limit)
      .map(({ id, symbol, name, type, legs }) => ({ assetId: id, symbol, name, type, legs })),
    columns: IN_LEDGERS,
    none: '',
    notes: () => [
      { text: `${matches}${means}${partial}` },
      { text: "Use the service's own search with: cryptodata assets search TEXT --text-parameter NAME." },
    ],
  };
}

const FIELDS: readonly Column[] = [
  { key: 'symbol' },
  { key: 'name' },
  { key: 'type' },
  { key: 'legs', figure: true },
  { key: 'assetId' },
];
const IN_LEDGERS: Columns = { table: FIELDS, csv: FIELDS };
