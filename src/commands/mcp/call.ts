import { CommanderError } from 'commander';
import type { AnyVerb, Run } from '../../cli/define.ts';
import { wordsOf } from '../../cli/describe.ts';
import { finalError, type Outcome, type Rows } from '../../cli/outcome.ts';
import { jsonRows } from '../../cli/render.ts';
import type { CallContext, Context, ToolCall } from '../../context.ts';
import { CryptodataError, messageOf, usageError } from '../../core/errors.ts';
import { isRecord, type JsonRecord } from '../../core/json.ts';
import { shellWord } from '../../core/text.ts';
import { VERSION } from '../../core/version.ts';
import { NOTICE, SafeValues } from './served-text.ts';
import { type FlagArgument, type Served, USUAL_ROWS } from './tools.ts';

export interface CallResult {
  readonly content: JsonRecord;
  readonly failed: boolean;
}

export interface CallParts {
  readonly served: Served;
  /** The arguments of the call, already checked against the input schema of the tool. */
  readonly given: JsonRecord;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
}

/** Maximum number of characters in the rows of a result. The context of a model is limited. */
const MOST_CHARACTERS = 100_000;

/** Runs the command of a tool call, without starting another process. */
export async function runCall(
  context: Context,
  { served, given, signal, onProgress }: CallParts,
): Promise<CallResult> {
  const notes: string[] = [];
  const warnings: string[] = [];
  const tell: ToolCall['tell'] = (kind, text) => {
    if (kind === 'progress') onProgress(text);
    else (kind === 'note' ? notes : warnings).push(text);
  };
  const { timeZone } = given;
  const zone = typeof timeZone === 'string' ? { tz: timeZone } : {};
  const settings = { output: 'json', ...zone };
  const call = context.forCall({ signal, settings, tell });
  const safe = new SafeValues(context.redact);
  try {
    const words = commandLine(served, given);
    const outcome = await runVerb(served.entry.verb, words, call);
    const result = await shown(outcome, served, given, safe, { view: await call.view(), say: call.say });
    call.releaseNotes();
    for (const { text, warning, isCommand } of outcome.notes?.() ?? []) {
      if (!isCommand) (warning ? warnings : notes).push(text);
    }
    const failure = await finalError(outcome);
    const { profile, profileNamed } = await call.settings();
    const global = Object.entries({ ...(profileNamed ? { profile } : {}), ...zone });
    const flags = ['--json', ...global.map(([name, value]) => `--${name}=${value}`)];
    return {
      failed: failure !== undefined,
      content: {
        notice: NOTICE,
        command: safe.text(
          ['cryptodata', wordsOf(served.entry), ...[...flags, ...words].map(shellWord)].join(' '),
        ),
        ...(failure ? errorContent(failure, safe) : {}),
        ...result,
        notes: notes.map((text) => safe.text(text)),
        warnings: [...warnings, ...safe.warnings()].map((text) => safe.text(text)),
      },
    };
  } finally {
    await call.close();
  }
}

export function failedCall(error: unknown, redact: (text: string) => string): CallResult {
  return { failed: true, content: { notice: NOTICE, ...errorContent(error, new SafeValues(redact)) } };
}

function errorContent(error: unknown, safe: SafeValues): JsonRecord {
  if (!(error instanceof CryptodataError)) {
    const hint = `This is a bug in cryptodata ${VERSION}. Please report it.`;
    return {
      error: { code: 'BUG', message: safe.text(messageOf(error)), status: null, hint, details: null },
    };
  }
  const { code, message, status = null, hint = null, details = null } = error;
  return { error: safe.value({ code, message, status, hint, details }) };
}

/** The command-line arguments. Each flag and its value are one word (`--flag=value`), so that no value is parsed as a flag. */
function commandLine({ args, paging }: Served, given: JsonRecord): string[] {
  const flags: string[] = [];
  const operands: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const argument = args.get(name);
    if (argument?.kind === 'operand') operands.push(String(value));
    else if (argument) flags.push(...flagWords(argument, value));
  }
  const { first, most } = pageOf(given);
  if (paging === 'limit') flags.push(`--limit=${first + most}`);
  if (paging === 'limit and offset') {
    flags.push(`--limit=${most}`);
    if (given['offset'] !== undefined) flags.push(`--offset=${first}`);
  }
  return operands.length === 0 ? flags : [...flags, '--', ...operands];
}

function flagWords({ long, isToggle }: FlagArgument, value: unknown): string[] {
  if (Array.isArray(value)) return value.map((item) => `${long}=${item}`);
  if (isToggle) return value === true ? [long] : [];
  return [`${long}=${value}`];
}

/** @throws usage error for an invalid argument, or any error of the command itself */
async function runVerb(verb: AnyVerb, words: readonly string[], context: CallContext): Promise<Outcome> {
  let parsed: Run | undefined;
  const command = verb.build(async (run) => {
    parsed = run;
  });
  const write = () => {};
  command.exitOverride().configureOutput({ writeOut: write, writeErr: write, outputError: write });
  try {
    await command.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw usageError(error.message.replace(/^error: /, ''), undefined, 'BAD_ARGUMENT');
  }
  if (!parsed) throw new Error(`The command ${verb.name} did not start`);
  return parsed(context);
}

async function shown(
  outcome: Outcome,
  { paging, entry }: Served,
  given: JsonRecord,
  safe: SafeValues,
  { view, say }: Parameters<typeof jsonRows>[1],
): Promise<JsonRecord> {
  const { first, most } = pageOf(given);
  switch (outcome.kind) {
    case 'rows': {
      const skipped = paging === 'limit and offset' ? 0 : first;
      const page = await takeRows(jsonRows(outcome, { view, say }), { skipped, most }, safe);
      const { rows, cut } = page;
      return {
        rows,
        shown: rows.length,
        offset: first,
        ...(paging
          ? totalOf(outcome, Math.max(0, page.read - skipped), { first, most })
          : { total: page.read }),
        ...(cut
          ? { cut: `The result is too long for one call. Continue with offset ${first + rows.length}.` }
          : {}),
      };
    }
    case 'record':
      return recordContent(outcome.record, { first, most }, safe);
    case 'text':
      return { record: safe.value(outcome.record) };
    default:
      throw new Error(`cryptodata ${wordsOf(entry)} returns no record`);
  }
}

function pageOf({ limit, offset }: JsonRecord) {
  return {
    first: typeof offset === 'number' ? offset : 0,
    most: typeof limit === 'number' ? limit : USUAL_ROWS,
  };
}

type Page = ReturnType<typeof pageOf>;

/** The total of a paged list; null if it is unknown. */
function totalOf({ total }: Rows, read: number, { first, most }: Page): JsonRecord {
  // The number of rows is known: the list ended before the limit, or the command returned all rows.
  if (read !== most && (read > 0 || first === 0)) return { total: first + read };
  const known = total?.();
  if (known === undefined) return { total: null };
  return { total: known.rows, ...(known.isApproximate ? { totalIsApproximate: true } : {}) };
}

/** Counts all rows, and returns the rows that fit in one result. */
async function takeRows(
  rows: AsyncIterable<unknown> | Iterable<unknown>,
  { skipped, most }: { readonly skipped: number; readonly most: number },
  safe: SafeValues,
) {
  const taken: unknown[] = [];
  let read = 0;
  let characters = 0;
  let cut = false;
  for await (const row of rows) {
    read += 1;
    if (read <= skipped || taken.length >= most || cut) continue;
    const value = safe.value(row);
    characters += JSON.stringify(value).length;
    // Always return at least one row, so that paging makes progress.
    if (characters > MOST_CHARACTERS && taken.length > 0) cut = true;
    else taken.push(value);
  }
  return { rows: taken, read, cut };
}

/**
 * Returns the content of a result with one record. A list whose items have ids is limited to one page, and `totals` contains
 * its full length.
 */
async function recordContent(
  record: JsonRecord,
  { first, most }: Page,
  safe: SafeValues,
): Promise<JsonRecord> {
  const totals: Record<string, number> = {};
  const members: JsonRecord = {};
  let cut = false;
  for (const [name, member] of Object.entries(record)) {
    if (Array.isArray(member) && member.some((item) => isRecord(item) && 'id' in item)) {
      const page = await takeRows(member, { skipped: first, most }, safe);
      members[safe.text(name)] = page.rows;
      totals[safe.text(name)] = page.read;
      cut ||= page.cut;
    } else members[safe.text(name)] = safe.value(member);
  }
  return {
    record: members,
    ...(Object.keys(totals).length > 0 ? { offset: first, totals } : {}),
    ...(cut ? { cut: 'The lists are too long for one call. Continue with a higher offset.' } : {}),
  };
}
