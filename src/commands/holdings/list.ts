import { holdings } from '../../api/holdings.ts';
import { listVerb, printsOf } from '../../app/lists.ts';
import type { Note, RowStep } from '../../cli/outcome.ts';
import { listOf, oneOf, served } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { CryptodataError } from '../../core/errors.ts';
import { isRecord, type JsonRecord } from '../../core/json.ts';
import { plural } from '../../core/text.ts';
import { type ColumnsFrom, namesAll, valueAt } from '../../formats/columns.ts';
import { columnsAfter } from '../../formats/open.ts';
import { TOTALS_PRINTS, totalsFlag, totalsOfList } from './totals.ts';

const IDS = ['assetId', 'asset.tokenId'];

/** Maximum number of requests for symbols. */
const MOST_REQUESTS = 5;
/** Maximum number of asset ids in a request, so that the address stays short enough for every server. */
const MOST_IDS = 100;

/** The symbols of held assets. If a record has no symbol, the symbol is taken from a leg of the asset. */
class Symbols implements RowStep {
  readonly #context: Context;
  readonly #chosen: readonly string[];
  readonly #symbols = new Map<string, string>();
  #unknown = 0;
  #refusal: string | undefined;

  constructor(context: Context, chosen: readonly string[] = []) {
    this.#context = context;
    this.#chosen = chosen;
  }

  readonly of = (record: JsonRecord): unknown =>
    servedSymbol(record) ?? this.#symbols.get(String(record['assetId']));

  async *over(rows: AsyncIterable<JsonRecord>): AsyncGenerator<JsonRecord> {
    if (!(await this.#areShown())) {
      yield* rows;
      return;
    }
    const all: JsonRecord[] = [];
    for await (const row of rows) all.push(row);
    await this.#read(all).catch((error: unknown) => {
      if (!(error instanceof CryptodataError)) throw error;
      this.#refusal = error.message;
    });
    this.#unknown = all.filter((row) => this.of(row) === undefined).length;
    yield* all;
  }

  notes(): Note[] {
    if (this.#unknown === 0) return [];
    const why = this.#refusal ?? 'no symbol was found in the legs that were read';
    const text = `${plural(this.#unknown, 'holding has', 'holdings have')} no known symbol: ${why}`;
    return [{ text: text.replace(/\.?$/, '.') }];
  }

  async #areShown(): Promise<boolean> {
    if (this.#chosen.some((name) => /^\+?symbol$/i.test(name))) return true;
    const format = await this.#context.format();
    return (format === 'table' || format === 'csv') && !namesAll(this.#chosen);
  }

  async #read(records: readonly JsonRecord[]): Promise<void> {
    const ids = records.flatMap((record) => {
      const { assetId } = record;
      return typeof assetId === 'string' && servedSymbol(record) === undefined ? assetId : [];
    });
    let open = [...new Set(ids)];
    const { ledgers } = await this.#context.client();
    for (let request = 0; request < MOST_REQUESTS && open.length > 0; request++) {
      const assetIds = open.slice(0, MOST_IDS);
      const { rows, total } = await ledgers.list({ assetIds, limit: 200 }).asServed().page();
      for (const leg of rows) {
        if (!isRecord(leg)) continue;
        const symbol = valueAt(leg, 'asset.symbol') ?? valueAt(leg, 'assetRaw.symbol');
        if (typeof symbol === 'string' && symbol !== '') this.#symbols.set(String(leg['assetId']), symbol);
      }
      // If the page contains all legs of these assets, do not search further for the symbols that are still unknown.
      const isWhole = total !== undefined && rows.length >= total;
      open = open.filter((id) => !this.#symbols.has(id) && !(isWhole && assetIds.includes(id)));
    }
  }
}

function servedSymbol(record: JsonRecord): unknown {
  return valueAt(record, 'symbol') ?? valueAt(record, 'asset.symbol') ?? undefined;
}

/** If each row has a symbol, tables omit the ids. `--columns` can still select the ids. */
function columnsWith(symbolOf: (record: JsonRecord) => unknown): ColumnsFrom {
  const symbol = { key: 'symbol', whole: true, derive: symbolOf };
  const { table, csv } = holdings.columns;
  const columns = { table: [symbol, ...table], csv: [...csv, symbol] };
  const columnsFrom = columnsAfter(columns, (key) => key === 'amount' || key === 'asset.symbol');
  return (records) => {
    const found = columnsFrom(records);
    const areNamed = records.length > 0 && records.every((record) => symbolOf(record) !== undefined);
    return areNamed ? { ...found, table: found.table.filter(({ key }) => !IDS.includes(key)) } : found;
  };
}

export const listHoldings = listVerb(holdings, {
  summary: 'List token holdings and their total value',
  about:
    'A roiPercentage of null means that no cost basis is recorded. Tables show null as "unknown", never as 0. If a record has no symbol, tables and CSV show the symbol of a leg of the asset. The specification lists no parameters for this endpoint. Use -q to send any parameter.',
  flags: { totals: totalsFlag },
  examples: {
    'List all token holdings': 'cryptodata holdings --all',
    'Show the total value': 'cryptodata holdings --totals --json',
    'List assets without a cost basis':
      'cryptodata holdings --all --json | jq -r ".[] | select(.roiPercentage == null) | .assetId"',
    'Omit spam': 'cryptodata holdings --all --json | jq "map(select(.isSpam | not))"',
  },
  prints: `${printsOf(holdings)}\n${TOTALS_PRINTS}`,
  output: [listOf(served(holdings.record)), oneOf(served({}), { when: 'with --totals' })],
  columns: columnsWith(servedSymbol),
  instead: (context, values) => totalsOfList(context, values, ({ holdings }, query) => holdings.list(query)),
  async select(context, { columns }) {
    const symbols = new Symbols(context, columns);
    return { columns: columnsWith(symbols.of), steps: [symbols] };
  },
  listing: (client, query) => client.holdings.list(query),
});
