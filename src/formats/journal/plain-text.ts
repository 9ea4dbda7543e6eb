import {
  type Commodity,
  type Item,
  type JournalAccount,
  type JournalEntry,
  type JournalProblem,
  POSTED_PLACES,
  type Posting,
} from '../../books/journal/entry.ts';
import type { Journal } from '../../books/journal/journal.ts';
import { plainAmount } from '../../books/journal/post.ts';
import type { Exact } from '../../core/decimal.ts';
import { showText } from '../../core/text.ts';
import type { About, ByteSink, RecordFile } from '../record-file.ts';
import { TextWriter } from '../text-file.ts';
import type { Dialect, Facts, WrittenEntry } from './dialect.ts';
import { Names, shorten } from './names.ts';
import type { SortedJournal } from './sorted-journal.ts';

/** Maximum length of an entry's description. */
const LONGEST = 200;

/** A journal for a plain-text accounting program. */
export function plainTextFile(sink: ByteSink, sorted: SortedJournal, dialect: Dialect): RecordFile {
  const text = new PlainText(sorted.journal, dialect);
  const writer = new TextWriter(sink);
  return {
    add: (leg) => sorted.add(leg),
    async finish(about) {
      await writer.add(dialect.head);
      for await (const items of sorted.items()) for (const item of items) await writer.add(text.item(item));
      await writer.end(text.end(about ?? []));
    },
    discard: () => sorted.discard(),
  };
}

interface Declared {
  readonly name: string;
  about: Facts;
  assetId: string | null;
  decimals: number;
  /** Sum of the absolute amounts. No balance can exceed this sum. */
  moved: Exact;
}

class PlainText {
  readonly #journal: Journal;
  readonly #dialect: Dialect;
  /** Names of the child accounts of each account. */
  readonly #levels = new Map<string, Names>();
  readonly #accounts = new Map<string, string>();
  readonly #commodityNames: Names;
  readonly #commodities = new Map<string, Declared>();
  #undeclared = '';

  constructor(journal: Journal, dialect: Dialect) {
    this.#journal = journal;
    this.#dialect = dialect;
    this.#commodityNames = new Names(
      (symbol) => dialect.fitCommodity(symbol),
      (name, hash) => dialect.joinCommodity(name, hash),
    );
  }

  item({ entry, problem }: Item): string {
    return problem ? this.#problem(problem) : this.#entry(entry);
  }

  end(about: About): string {
    this.#noteDigits();
    const { declares, declareAccount, declareCommodity, comment } = this.#dialect;
    const declared =
      declares === 'first'
        ? ''
        : [
            ...[...this.#accounts.values()].sort().map((name) => declareAccount(name, '')),
            ...[...this.#commodities.values()]
              .sort((left, right) => (left.name < right.name ? -1 : 1))
              .map(({ name, about, decimals }) => declareCommodity(name, about, decimals)),
          ].join('');
    const { summary } = this.#journal;
    const listed = summary.reasons.map(({ reason, means, legs }) =>
      comment(`Incomplete legs: ${reason}: ${legs} (${means})`),
    );
    const unknown = summary.unknownOpenings.map(({ symbol, wallet }) =>
      comment(
        showText(
          `Unknown opening balance: ${symbol || 'an asset without a name'} in ${wallet || 'no wallet'}`,
        ),
      ),
    );
    const differing = summary.differing.map(({ symbol, wallet, difference }) =>
      comment(
        showText(
          `Closing balance of the books differs from this journal: ${symbol || 'an asset without a name'} in ${wallet || 'no wallet'} by ${difference}`,
        ),
      ),
    );
    const lines = about.map(([name, text]) => comment(`${name}: ${showText(text)}`));
    return [
      '\n',
      declared,
      ...lines,
      ...unknown,
      ...differing,
      ...listed,
      ...summary.profitNotes.map((text) => comment(showText(text))),
      comment(`Legs not posted: ${summary.legsIn('none')}`),
    ].join('');
  }

  #noteDigits(): void {
    const { digits } = this.#dialect;
    if (digits === undefined) return;
    const long = [...this.#commodities.values()]
      .filter(({ moved, decimals }) => moved.e + 1 + decimals > digits)
      .map(({ name }) => name);
    if (long.length === 0) return;
    this.#journal.summary.note(
      `The file is exact, but the accounting program computes with only ${digits} digits and may round sums of ${long.sort().join(', ')}`,
    );
  }

  #problem({ legId, transactionId, date, reasons, place, leg }: JournalProblem): string {
    const what = `Incomplete (${POSTED_PLACES[place]})`;
    const where = `leg ${legId} of ${transactionId || 'no transaction'}${date === '' ? '' : `, ${date}`}`;
    return this.#dialect.comment(showText(`${what}: ${where}: ${leg}: ${reasons.join(', ')}`));
  }

  #entry(entry: JournalEntry): string {
    this.#undeclared = '';
    const lines = entry.postings.map((posting) => this.#line(posting, entry.date));
    this.#journal.summary.entries += 1;
    const written: WrittenEntry = {
      date: entry.date,
      isPending: entry.reasons.length > 0,
      id: showText(entry.id),
      description: showText(shorten(entry.description, LONGEST)),
      facts: entry.reasons.length === 0 ? [] : [['suspense', entry.reasons.join(' ')]],
      lines,
    };
    return `${this.#undeclared}\n${this.#dialect.entry(written)}`;
  }

  #line(posting: Posting, date: string): WrittenEntry['lines'][number] {
    const { account, commodity, amount, legs, moved, facts } = posting;
    const unit = this.#commodity(commodity, amount);
    this.#journal.summary.line(posting, unit.replace(/^"|"$/g, ''));
    return {
      account: this.#account(account, date),
      amount: plainAmount(amount),
      commodity: unit,
      facts: [
        ...legs.map((id): [string, string] => ['leg', showText(id)]),
        ...(moved
          ? [['quantity', showText(`${plainAmount(moved.quantity)} ${moved.asset.symbol}`)] as const]
          : []),
        ...Object.entries(facts).map(([name, value]): [string, string] => [name, showText(value)]),
      ],
    };
  }

  #account(account: JournalAccount, date: string): string {
    const key = JSON.stringify(account.segments);
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    let above = '';
    const parts = account.segments.map((segment, level) => {
      const { name } = this.#namesBelow(above, level).of(segment, segment);
      above = JSON.stringify(account.segments.slice(0, level + 1));
      return name;
    });
    const name = parts.join(':');
    this.#accounts.set(key, name);
    if (this.#dialect.declares === 'first') this.#undeclared += this.#dialect.declareAccount(name, date);
    return name;
  }

  #namesBelow(account: string, level: number): Names {
    const known = this.#levels.get(account);
    if (known) return known;
    const names = new Names((text) => this.#dialect.fitSegment(text, level));
    this.#levels.set(account, names);
    return names;
  }

  /** Adds the asset id to a currency that was declared without an asset id. */
  #join(known: Declared, { assetId }: Commodity): void {
    if (assetId === null || known.assetId !== null) return;
    known.assetId = assetId;
    known.about = [...known.about, ['asset', showText(assetId)]];
    if (this.#dialect.declares === 'last') return;
    this.#undeclared += this.#dialect.comment(`The asset id of ${known.name} is ${showText(assetId)}`);
  }

  #commodity(commodity: Commodity, amount: Exact): string {
    const decimals = amount.decimalPlaces();
    const known = this.#commodities.get(commodity.key);
    if (known) {
      if (decimals > known.decimals) known.decimals = decimals;
      known.moved = known.moved.plus(amount.abs());
      this.#join(known, commodity);
      return known.name;
    }
    const { key, symbol, assetId } = commodity;
    const { name, wasTaken } = this.#commodityNames.of(key, symbol);
    if (wasTaken) {
      this.#journal.summary.note(
        `Several assets have the symbol ${showText(symbol)}: ${showText(assetId ?? 'the asset without an id')} is written as ${name}`,
      );
    }
    const about: Facts = [
      ['symbol', showText(symbol)],
      ...(assetId === null ? [] : [['asset', showText(assetId)] as const]),
    ];
    this.#commodities.set(key, { name, about, decimals, assetId, moved: amount.abs() });
    if (this.#dialect.declares === 'first') {
      this.#undeclared += this.#dialect.declareCommodity(name, about, decimals);
    }
    return name;
  }
}
