import type { ComparedToday } from '../../app/compare-today.ts';
import { changeColumns } from '../../app/leg-changes.ts';
import { type Note, type Outcome, warning } from '../../cli/outcome.ts';
import type { Context } from '../../context.ts';
import { Claim } from '../../core/claim.ts';
import { type CryptodataError, unverifiedError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { count, plural, showText } from '../../core/text.ts';
import { readOnce } from '../../export/spool.ts';
import { openColumns } from '../../formats/open.ts';

/** @param edited whether the file itself was changed after the export */
export function contentProblems(today: ComparedToday, edited: boolean): CryptodataError[] {
  const { notCompared, unverified } = today;
  const problems: CryptodataError[] = [];
  if (notCompared !== undefined) {
    const hint = 'To list every difference, export to CSV, JSON or JSONL.';
    problems.push(unverifiedError(`Contents were not compared: ${notCompared}`, hint, 'NOT_COMPARED'));
  }
  const differences = differencesIn(today);
  if (differences !== undefined) {
    const hint = 'The output lists each difference.';
    const doubt = edited ? ' The file was also edited, so some differences may come from these edits.' : '';
    problems.push(
      today.asExported
        ? unverifiedError(`The file differs from the service: ${differences}`, hint, 'CONTENTS_DIFFER')
        : unverifiedError(
            `The books have changed since the export: ${differences}`,
            hint + doubt,
            'LEDGERS_CHANGED',
          ),
    );
  }
  if (unverified !== undefined) {
    const hint = 'Run the command again when no sync is running.';
    problems.push(
      unverifiedError(`The legs were read again, but the result is not verified: ${unverified}`, hint),
    );
  }
  return problems;
}

export function contentNotes(today: ComparedToday): Note[] {
  return [...removedNotes(today), ...(today.legsGone?.notes() ?? []), ...equalNotes(today)];
}

function removedNotes({ removed = [] }: ComparedToday): Note[] {
  if (removed.length === 0) return [];
  const names = showText(removed.join(', '));
  return [warning(`These columns were not compared, because the file lacks them: ${names}.`)];
}

function equalNotes(today: ComparedToday): Note[] {
  const { legs, hasColumns, isSum, notCompared, unverified } = today;
  if (notCompared !== undefined || unverified !== undefined || differencesIn(today) !== undefined) return [];
  const all = legs === 1 ? 'the one leg' : `all ${count(legs)} legs`;
  const range = hasColumns ? ' (only the columns of the file)' : '';
  return [{ text: Claim.verified({ by: 'contents', what: all, sums: isSum, range, unverified }).text() }];
}

/** In JSON and tables, the record contains the differences. In CSV and JSON Lines, each row is one difference. */
export async function deepOutcome(
  context: Context,
  record: JsonRecord,
  { legs, comparison, notCompared, changes, view }: ComparedToday,
  ending: Pick<Extract<Outcome, { kind: 'record' }>, 'notes' | 'failed'>,
): Promise<Outcome> {
  const format = await context.format();
  if (format === 'csv' || format === 'jsonl') {
    return { kind: 'rows', rows: readOnce(changes), columns: COLUMNS, ...ending };
  }
  const listed: JsonRecord[] = [];
  for await (const change of readOnce(changes)) listed.push(change);
  const { added, removed, changed, fields, duplicates } = comparison;
  const counts = { added, removed, changed, fieldsChanged: fields, duplicates };
  const unknown = Object.fromEntries(Object.keys(counts).map((name) => [name, null]));
  const whole = { ...record, legsToday: legs, ...(notCompared === undefined ? counts : unknown) };
  if (format === 'json')
    return { kind: 'record', record: { ...whole, changes: listed }, columns: openColumns, ...ending };
  const parts = listed.length === 0 ? [] : [{ title: 'Differences', rows: listed, columns: COLUMNS, view }];
  return { kind: 'record', record: whole, columns: openColumns, parts, ...ending };
}

const COLUMNS = changeColumns('in the file', 'in the service');

/** Returns text such as `24 legs differ (1 added, 1 removed, 22 changed in 23 fields)`; undefined if nothing differs. */
function differencesIn({ comparison, isSum }: ComparedToday): string | undefined {
  const { added, removed, changed, fields, duplicates } = comparison;
  const parts = [
    ...(added > 0 ? [`${count(added)} added`] : []),
    ...(removed > 0 ? [`${count(removed)} removed`] : []),
    ...(changed > 0 ? [`${count(changed)} changed in ${plural(fields, 'field', 'fields')}`] : []),
    ...(duplicates > 0 ? [`${count(duplicates)} duplicated in the file`] : []),
  ];
  const rows = added + removed + changed + duplicates;
  const noun = isSum ? 'sum' : 'leg';
  return rows === 0
    ? undefined
    : `${plural(rows, `${noun} differs`, `${noun}s differ`)} (${parts.join(', ')})`;
}
