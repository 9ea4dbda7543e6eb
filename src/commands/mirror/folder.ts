import { type Note, warning } from '../../cli/outcome.ts';
import { knownInstant } from '../../core/instant.ts';
import { plural } from '../../core/text.ts';
import { momentText } from '../../formats/moments.ts';
import type { HistoryGap } from '../../mirror/manifest.ts';

/** The operand of the commands that read a mirror. */
export const FOLDER = { written: '<folder>', describe: 'the folder of the mirror' };

/** Returns the notes that are not false. */
export function applying(...notes: readonly (Note | false)[]): Note[] {
  return notes.flatMap((note) => note || []);
}

/** Warns that a part of the history is unknown. */
export function gapNote({ seenAt, rows }: HistoryGap, timeZone: string, more = ''): Note {
  const time = momentText(knownInstant(seenAt), timeZone);
  return warning(
    `Before ${time}, files with ${plural(rows, 'leg', 'legs')} were missing or damaged. Changes to these legs since the previous run are unknown${more}.`,
  );
}
