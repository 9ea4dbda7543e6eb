import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { notACode } from '../../books/journal/chart.ts';
import {
  type JournalAccount,
  type JournalEntry,
  type JournalProblem,
  POSTED_PLACES,
} from '../../books/journal/entry.ts';
import { minorUnits } from '../../books/journal/minor-units.ts';
import { type RoundedEntry, roundEntry } from '../../books/journal/rounding.ts';
import { HashedFile } from '../../core/hashed-file.ts';
import { plural, showText, someOf } from '../../core/text.ts';
import { cannotWrite } from '../../core/unwritable.ts';
import { csvForm } from '../csv.ts';
import { createFolder, type DataSetFile, finishFolder } from '../data-set/folder.ts';
import type { FileFolder, Layout } from '../format.ts';
import type { FiatLayout } from './fiat-layout.ts';
import { Names, shorten } from './names.ts';
import type { SortedJournal } from './sorted-journal.ts';

/** Maximum length of a description. */
const LONGEST = 150;
const MOST_QUANTITIES = 3;
const PROBLEM_COLUMNS = ['date', 'transaction', 'leg', 'contents', 'place', 'reasons'];

/**
 * A folder of CSV files for an importer. Each file has one currency, and no entry is split across files. The file
 * `suspense.csv` lists the incomplete legs, because the importer's format has no column for the status
 * of a leg.
 */
export async function openFiatFolder(
  path: string,
  layout: Layout,
  fiat: FiatLayout,
  sorted: SortedJournal,
): Promise<FileFolder> {
  const { journal } = sorted;
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
  const without = { values: 0, balance: 0 };

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
    const name = `${names.of(currency, currency).name}-${parts.length}`;
    const part = await Part.open(path, name, row(fiat.columns));
    parts.push(part);
    return part;
  };

  const accountName = ({ segments, role }: JournalAccount): string => {
    const wanted = inOneLine(segments.map((segment) => segment.replaceAll(':', '_')).join(':'));
    const { imports = '', longestCode } = layout.format.file.journal ?? {};
    if (longestCode !== undefined && (segments.length > 1 || wanted.length > longestCode)) {
      throw notACode(`${JSON.stringify(wanted)} (${role})`, { imports, longestCode });
    }
    return accounts.of(JSON.stringify(segments), wanted).name;
  };

  const addEntry = async (entry: JournalEntry, rounded: RoundedEntry): Promise<boolean> => {
    const { currency, lines, rounding, debits } = rounded;
    if (lines.length === 0) {
      if (debits.isZero()) without.balance += 1;
      else journal.summary.vanished(currency, debits);
      return false;
    }
    if (!rounding.isZero()) journal.summary.rounded(currency, rounding);
    const part = await partFor(currency, lines.length);
    const decimals = minorUnits(currency);
    const rows = lines.map(({ account, amount, quantities }) => {
      journal.summary.line({ kind: 'value', account, amount }, currency);
      const cells = fiat.cells({
        date: entry.date,
        // Importers join all rows with the same id into one entry. Each part of a transaction has its own date, so the id of a
        // part contains the date.
        id: entry.isPart ? `${entry.id} ${entry.date}` : entry.id,
        description: shorten(entry.description, LONGEST),
        details: inOneLine(someOf(quantities, { most: MOST_QUANTITIES })),
        account: accountName(account),
        amount: amount.abs().toFixed(decimals),
        isDebit: !amount.isNegative(),
        tax: layout.journal?.tax,
      });
      return row(cells);
    });
    await part.add(rows);
    return true;
  };

  const addProblem = async (problem: JournalProblem): Promise<void> => {
    suspense ??= await Part.open(path, 'suspense', row(PROBLEM_COLUMNS));
    const { date, transactionId, legId, leg, place, reasons } = problem;
    await suspense.add([row([date, transactionId, legId, leg, POSTED_PLACES[place], reasons.join(' ')])]);
  };

  const takeEntry = async (entry: JournalEntry): Promise<void> => {
    const rounded = roundEntry(entry, (code) => journal.roundingAccount(code));
    if (rounded.length === 0) without.values += 1;
    let isWritten = false;
    for (const one of rounded) if (await addEntry(entry, one)) isWritten = true;
    if (isWritten) journal.summary.entries += 1;
  };

  const all = () => [...[...currencies.values()].flat(), ...(suspense ? [suspense] : [])];
  return {
    add: (leg) => sorted.add(leg),
    async finish() {
      for await (const items of sorted.items())
        for (const { entry, problem } of items)
          if (problem) await addProblem(problem);
          else await takeEntry(entry);
      const leftOut = (entries: number, why: string) => {
        if (entries > 0)
          journal.summary.note(
            `${plural(entries, 'entry is', 'entries are')} not in the files, because ${why}`,
          );
      };
      for (const [currency, { sum, entries }] of Object.entries(journal.summary.below))
        leftOut(
          entries,
          `every amount is zero after rounding; before rounding, the debits add up to ${sum} ${showText(currency)}`,
        );
      leftOut(without.balance, 'the amounts of each account cancel out');
      leftOut(without.values, 'no value is known or every value is zero');
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
      await sorted.discard();
      for (const part of all()) await part.discard();
    },
  };
}

/** Replaces line breaks and tabs, so that each row of a file is one line. */
function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** A file in the folder. The file has a temporary name until the number of files is known. */
class Part {
  rows = 0;
  readonly #folder: string;
  readonly #temporary: string;
  readonly #file: HashedFile;
  #written: Promise<Pick<DataSetFile, 'bytes' | 'sha256'>> | undefined;

  private constructor(folder: string, temporary: string, file: HashedFile) {
    this.#folder = folder;
    this.#temporary = temporary;
    this.#file = file;
  }

  static async open(folder: string, name: string, head: string): Promise<Part> {
    const temporary = join(folder, `${name}.tmp`);
    const part = new Part(folder, temporary, await HashedFile.create(temporary));
    await part.#file.write(head);
    return part;
  }

  async add(rows: readonly string[]): Promise<void> {
    this.rows += rows.length;
    await this.#file.write(rows.join(''));
  }

  close(): Promise<Pick<DataSetFile, 'bytes' | 'sha256'>> {
    this.#written ??= this.#file.finish({ sync: true });
    return this.#written;
  }

  /** Closes the file without writing the buffered text. */
  discard(): Promise<void> {
    return this.#file.close();
  }

  async finish(name: string): Promise<DataSetFile> {
    const written = await this.close();
    await rename(this.#temporary, join(this.#folder, name)).catch((error: unknown) => {
      throw cannotWrite(this.#temporary, error);
    });
    return { path: name, rows: this.rows, ...written };
  }
}
