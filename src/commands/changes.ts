import type { Flag } from '../cli/define.ts';
import type { Note, Outcome } from '../cli/outcome.ts';
import type { Change } from '../client/watch.ts';
import type { Context } from '../context.ts';
import { CryptodataError, usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { showText } from '../core/text.ts';
import type { Column } from '../formats/columns.ts';
import { isoText, momentText } from '../formats/moments.ts';

/** `--timeout` of the commands that wait, in milliseconds. */
export const timeoutFlag: Flag<number | undefined> = {
  written: '--timeout <time>',
  describe: 'wait no longer than this: seconds, or as in 90s, 10m, 2h; 0 looks once',
  parse: (given) => {
    const [, digits, unit = 's'] = /^(\d{1,7})([smh])?$/.exec(given) ?? [];
    if (digits === undefined) throw usageError('It must be a length of time', 'As in 90, 90s, 10m or 2h.');
    return Number(digits) * { s: 1000, m: 60_000, h: 3_600_000 }[unit as 's' | 'm' | 'h'];
  },
};

export interface ChangesParts {
  readonly changes: AsyncIterable<Change>;
  /** What the id is called in records. */
  readonly id: 'walletId' | 'syncId';
  /** What people read of a change, behind its time. */
  readonly line: (change: Change) => readonly string[];
  /** Fields of the record that a CSV has beside the change itself. */
  readonly fields: readonly string[];
  /** A line of progress while the next change is waited for. */
  readonly waiting: () => string;
  /** What is still waited for when the time is over, and its records. */
  readonly open?: () => { readonly text: string; readonly details: readonly JsonRecord[] };
  /** Asked at the end, unless the time was over. */
  readonly failed: () => CryptodataError | undefined;
  readonly notes?: () => readonly Note[];
}

/** Shows each change as it is seen: a line each for people, a record each for programs. */
export async function showChanges(context: Context, parts: ChangesParts): Promise<Outcome> {
  const { id, line, fields } = parts;
  const { timeZone } = await context.view();
  let timedOut: CryptodataError | undefined;

  async function* seen(): AsyncGenerator<Change> {
    try {
      for await (const change of parts.changes) {
        yield change;
        context.progress().update(showText(parts.waiting()));
      }
    } catch (error) {
      // What was seen stands, as a whole document; the end says that it is not over.
      if (!(error instanceof CryptodataError) || error.code !== 'WAIT_TIMED_OUT') throw error;
      timedOut = withOpen(error, parts.open?.());
    }
  }
  async function* lines(): AsyncGenerator<string> {
    for await (const change of seen()) {
      const words = [momentText(change.time, timeZone), ...line(change).filter((word) => word !== '')];
      yield `${words.map(showText).join('  ')}\n`;
    }
  }
  async function* records(): AsyncGenerator<JsonRecord> {
    for await (const { time, id: given, status = null, previous = null, record } of seen()) {
      yield { time: isoText(time), [id]: given, status, previous, record };
    }
  }
  const ending = { failed: () => timedOut ?? parts.failed(), notes: () => parts.notes?.() ?? [] };
  if ((await context.format()) === 'table') return { kind: 'stream', chunks: lines(), ...ending };
  const csv: Column[] = ['time', id, 'status', 'previous', ...fields.map((field) => `record.${field}`)].map(
    (key) => ({ key }),
  );
  return { kind: 'rows', rows: records(), columns: { table: csv, csv }, ...ending };
}

function withOpen(error: CryptodataError, open: ReturnType<NonNullable<ChangesParts['open']>> | undefined) {
  if (!open || open.details.length === 0) return error;
  const { kind, code, message, hint, cause } = error;
  return new CryptodataError(kind, code, `${message}: ${open.text}`, { hint, details: open.details, cause });
}

/** Says why the next look comes late. */
export function hiccup(context: Context): (error: CryptodataError, ms: number) => void {
  return (error, ms) =>
    context.note(showText(`${error.message}. Looking again in ${Math.ceil(ms / 1000)} s.`));
}
