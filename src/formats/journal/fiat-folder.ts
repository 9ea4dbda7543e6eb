import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Entry, Item, Problem } from '../../books/journal/entry.ts';
import type { Journal } from '../../books/journal/journal.ts';
import { plain } from '../../books/journal/post.ts';
import { type RoundedEntry, roundEntry } from '../../books/journal/rounding.ts';
import { showText } from '../../core/text.ts';
import { cannotWrite } from '../../core/unwritable.ts';
import { csvForm } from '../csv.ts';
import { createFolder, type DataSetFile, finishFolder } from '../data-set/folder.ts';
import type { FileFolder, Layout } from '../format.ts';
import type { FiatLayout } from './fiat-layout.ts';
import { Names } from './names.ts';

/** Maximum length of a description. */
const LONGEST = 150;
const MOST_QUANTITIES = 3;
/** Characters to buffer before a write. */
const CHUNK = 64 * 1024;

const PROBLEM_COLUMNS = ['date', 'transaction', 'leg', 'contents', 'posted', 'reasons'];

/**
 * A folder of CSV files for an importer. Each file has one currency, and no entry is split across files. The file
 * `suspense.csv` lists the legs that are in suspense or not posted, because the importer's format has no column for the status
 * of a leg.
 */
export async function openFiatFolder(
  path: string,
  layout: Layout,
  fiat: FiatLayout,
  journal: Journal,
): Promise<FileFolder> {
  const { cell } = csvForm([], { view: layout.view, guard: layout.guard });
  const row = (cells: readonly string[]) => `${cells.map((text) => cell(text)).join(',')}\n`;
  await createFolder(path);
  const currencies = new Map<string, Part[]>();
  const names = new Names((text) => {
    const fitted = text.replace(/[^A-Za-z0-9]/g, '_').slice(0, 20);
    return { text: fitted, isFaithful: fitted === text };
  });
  const accounts = new Names((text) => ({ text, isFaithful: true }));
  const files: DataSetFile[] = [];
  let suspense: Part | undefined;
  let belowCent = 0;

  /** Returns the current file for the currency. If the file has no space for these lines, returns a new file. */
  const partFor = async (currency: string, lines: number): Promise<Part> => {
    const parts = currencies.get(currency) ?? [];
    currencies.set(currency, parts);
    const last = parts.at(-1);
    const most = (fiat.mostLines ?? Number.POSITIVE_INFINITY) - 1;
    if (last && last.rows + lines <= most) return last;
    if (lines > most)
      journal.summary.note(`An entry has ${lines} lines, but the importer accepts at most ${most}`);
    await last?.close();
    const part = await Part.open(path, `${names.of(currency, currency).name}-${parts.length}`);
    part.add(row(fiat.columns), 0);
    parts.push(part);
    return part;
  };

  const addEntry = async (entry: Entry, { currency, lines, rounding }: RoundedEntry): Promise<void> => {
    if (lines.length === 0) {
      belowCent += 1;
      return;
    }
    if (!rounding.isZero()) journal.summary.rounded(currency, rounding);
    const part = await partFor(currency, lines.length);
    for (const { account, amount, quantities } of lines) {
      journal.summary.named(account);
      const wanted = account.segments.map((segment) => segment.replaceAll(':', '_')).join(':');
      const cells = fiat.cells({
        date: entry.date,
        id: showText(entry.id),
        description: showText(entry.description).slice(0, LONGEST),
        details: showText(detailsOf(quantities)),
        account: accounts.of(JSON.stringify(account.segments), wanted).name,
        amount: plain(amount.abs()).replace(
          /^(\d+)(?:\.(\d+))?$/,
          (_, whole, cents = '') => `${whole}.${cents.padEnd(2, '0')}`,
        ),
        isDebit: !amount.isNegative(),
        tax: layout.journal?.tax,
      });
      part.add(row(cells), 1);
    }
    journal.summary.lines += lines.length;
    await part.flush(CHUNK);
  };

  const addProblem = async (problem: Problem): Promise<void> => {
    if (!suspense) {
      suspense = await Part.open(path, 'suspense');
      suspense.add(row(PROBLEM_COLUMNS), 0);
    }
    const { date, transactionId, legId, leg, posted, reasons } = problem;
    suspense.add(row([date, transactionId, legId, leg, posted ? 'yes' : 'no', reasons.join(' ')]), 1);
    await suspense.flush(CHUNK);
  };

  const take = async (items: readonly Item[]): Promise<void> => {
    for (const { entry, problem } of items) {
      if (problem) await addProblem(problem);
      else
        for (const one of roundEntry(entry, (code) => journal.roundingAccount(code)))
          await addEntry(entry, one);
    }
  };

  const all = () => [...[...currencies.values()].flat(), ...(suspense ? [suspense] : [])];
  return {
    add(leg) {
      const items = journal.add(leg);
      return items.length === 0 ? undefined : take(items);
    },
    async finish() {
      await take(journal.finish());
      if (belowCent > 0) {
        const entries = belowCent === 1 ? '1 entry is' : `${belowCent} entries are`;
        journal.summary.note(`${entries} not in the files, because every amount is below half a cent`);
      }
      if (currencies.size > 1) {
        const all = [...currencies.keys()].sort().map((currency) => showText(currency));
        journal.summary.note(
          `The folder has values in ${all.join(', ')}. The importer cannot detect the currency of a file, so import each file only into books in the same currency`,
        );
      }
      for (const [currency, parts] of currencies) {
        const { name } = names.of(currency, currency);
        for (const [index, part] of parts.entries()) {
          const number = String(index + 1).padStart(String(parts.length).length, '0');
          files.push(await part.finish(`journal-${name}-${number}-of-${parts.length}.csv`));
        }
      }
      if (suspense) files.push(await suspense.finish('suspense.csv'));
      files.sort((left, right) => (left.path < right.path ? -1 : 1));
      await finishFolder(path, files);
    },
    files: () => files,
    async discard() {
      for (const part of all()) await part.discard();
    },
  };
}

function detailsOf(quantities: readonly string[]): string {
  const more = quantities.length - MOST_QUANTITIES;
  return [...quantities.slice(0, MOST_QUANTITIES), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** A file in the folder. The file has a temporary name until the number of files is known. */
class Part {
  rows = 0;
  readonly #folder: string;
  readonly #name: string;
  readonly #handle: Awaited<ReturnType<typeof open>>;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #pending = '';
  #isOpen = true;

  private constructor(folder: string, name: string, handle: Awaited<ReturnType<typeof open>>) {
    this.#folder = folder;
    this.#name = name;
    this.#handle = handle;
  }

  static async open(folder: string, name: string): Promise<Part> {
    const file = `${name}.tmp`;
    try {
      return new Part(folder, file, await open(join(folder, file), 'wx'));
    } catch (error) {
      throw cannotWrite(join(folder, file), error);
    }
  }

  add(text: string, rows: number): void {
    this.#pending += text;
    this.rows += rows;
  }

  /** Writes the buffered text if it has more than `limit` characters. */
  async flush(limit: number): Promise<void> {
    if (this.#pending.length <= limit) return;
    const data = Buffer.from(this.#pending);
    this.#pending = '';
    this.#hash.update(data);
    this.#bytes += data.length;
    await this.#try(() => this.#handle.appendFile(data));
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.flush(0);
    await this.#try(async () => {
      await this.#handle.sync();
      await this.#handle.close();
    });
  }

  /** Closes the file without the buffered text. */
  async discard(): Promise<void> {
    if (this.#isOpen) await this.#handle.close().catch(() => {});
    this.#isOpen = false;
  }

  async finish(name: string): Promise<DataSetFile> {
    await this.close();
    await this.#try(() => rename(join(this.#folder, this.#name), join(this.#folder, name)));
    return { path: name, rows: this.rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async #try<Value>(step: () => Promise<Value>): Promise<Value> {
    try {
      return await step();
    } catch (error) {
      throw cannotWrite(join(this.#folder, this.#name), error);
    }
  }
}
