import { durationFlag } from '../cli/flags.ts';
import type { End, Note, Outcome } from '../cli/outcome.ts';
import type { StatusChange } from '../client/options.ts';
import type { Context } from '../context.ts';
import { CryptodataError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { Returned } from '../core/returned.ts';
import { showText } from '../core/text.ts';
import type { Column } from '../formats/columns.ts';
import { isoText, momentText } from '../formats/moments.ts';

/** `--timeout` for commands that wait, in seconds. */
export const timeoutFlag = durationFlag(
  '--timeout <duration>',
  'maximum time to wait (default: no limit; 0 checks once)',
);

export interface ChangesParts {
  readonly changes: AsyncIterable<StatusChange>;
  /** Name of the field that contains the id. */
  readonly id: 'walletId' | 'syncId';
  /** Returns the texts that follow the time in the line of a change. */
  readonly line: (change: StatusChange) => readonly string[];
  /** Fields of the record that are added to CSV output. */
  readonly fields: readonly string[];
  /** Returns the progress text to show while waiting. */
  readonly waiting: () => string;
  /** Called when the timeout expires. Describes the unfinished items and returns their records. */
  readonly open?: () => { readonly text: string; readonly details: readonly JsonRecord[] };
  /** Returns the error of the command, if there is one. Called after the last change, but not if the timeout expired. */
  readonly failed: () => CryptodataError | undefined;
  readonly notes?: () => readonly Note[];
}

/** Prints each change as a line (table format) or as a record (other formats). */
export async function showChanges(context: Context, parts: ChangesParts): Promise<Outcome> {
  const { id, line, fields } = parts;
  const { timeZone } = await context.view();

  async function* seen(): AsyncGenerator<StatusChange, End> {
    let timedOut: CryptodataError | undefined;
    try {
      for await (const change of parts.changes) {
        yield change;
        context.progress().update(showText(parts.waiting()));
      }
    } catch (error) {
      // Report the error only after the output is a complete document.
      if (!(error instanceof CryptodataError) || error.code !== 'WAIT_TIMED_OUT') throw error;
      timedOut = withOpen(error, parts.open?.());
    }
    return { failed: timedOut ?? parts.failed(), notes: parts.notes?.() ?? [] };
  }
  const changes = new Returned(seen());
  async function* lines(): AsyncGenerator<string, End | undefined> {
    for await (const change of changes) {
      const words = [momentText(change.time, timeZone), ...line(change).filter((word) => word !== '')];
      yield `${words.map(showText).join('  ')}\n`;
    }
    return changes.value;
  }
  async function* records(): AsyncGenerator<JsonRecord, End | undefined> {
    for await (const { time, id: given, status = null, previous = null, record } of changes) {
      yield { time: isoText(time), [id]: given, status, previous, record };
    }
    return changes.value;
  }
  if ((await context.format()) === 'table') return { kind: 'stream', chunks: lines() };
  const csv: Column[] = ['time', id, 'status', 'previous', ...fields.map((field) => `record.${field}`)].map(
    (key) => ({ key }),
  );
  return { kind: 'rows', rows: records(), columns: { table: csv, csv } };
}

function withOpen(error: CryptodataError, open: ReturnType<NonNullable<ChangesParts['open']>> | undefined) {
  if (!open || open.details.length === 0) return error;
  return error.explained({ message: `${error.message}: ${open.text}`, details: open.details });
}

/** Returns a callback that prints why the next check is delayed. */
export function noteDelay(context: Context): (error: CryptodataError, ms: number) => void {
  return (error, ms) =>
    context.note(showText(`${error.message}. Checking again in ${Math.ceil(ms / 1000)} s.`));
}
