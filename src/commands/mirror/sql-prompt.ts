import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { legFlags } from '../../app/leg-flags.ts';
import { render } from '../../cli/render.ts';
import { reportError } from '../../cli/report.ts';
import type { Context } from '../../context.ts';
import { CryptodataError, InterruptedError } from '../../core/errors.ts';
import { writePrivateFile } from '../../core/file.ts';
import { showText } from '../../core/text.ts';
import { isJson } from '../../formats/registry.ts';
import { styleOf } from '../../formats/style.ts';
import { partitionOf, TABLES } from '../../mirror/manifest.ts';
import { type Mirror, openMirror } from '../../mirror/open.ts';
import type { SqlSession } from '../../mirror/sql/session.ts';
import { splitStatements } from '../../mirror/sql/split.ts';
import { answer, openSqlSession } from './sql-result.ts';

const PROMPT = 'sql> ';
const CONTINUED = '...> ';
const HISTORY = 'sql-history';
const MOST_LINES = 500;
const LEAVES = /^\s*(?:\.?(?:exit|quit)|\\q)\s*;?\s*$/i;

/**
 * Reads statements from the terminal, and yields their results.
 *
 * @param isFixed whether all statements read the opened state, and ignore later updates of the mirror
 */
export async function* promptSql(
  context: Context,
  opened: Mirror,
  first: SqlSession,
  isFixed: boolean,
): AsyncGenerator<string | Uint8Array> {
  let [mirror, session] = [opened, first];
  const { streams, signal } = context;
  const file = join(context.directory, HISTORY);
  let history = await readHistory(file);
  context.progress().stop();
  context.note(
    `Tables of ${showText(mirror.directory)}: ${TABLES.join(', ')}. End a statement with a semicolon. Ctrl-C clears the statement, Ctrl-D exits.`,
  );
  const terminal = createInterface({
    ...{ input: streams.stdin, output: streams.stderr, terminal: true },
    ...{ history: [...history], historySize: MOST_LINES, removeHistoryDuplicates: true },
  });
  const lines = queue();
  let typed = '';
  let running: AbortController | undefined;
  terminal.on('line', (line) => lines.add(line));
  terminal.on('close', () => lines.end());
  terminal.on('history', (entries: string[]) => {
    // Join the lines of a statement into one history entry. A line after a `--` comment stays separate.
    const [line = '', earlier] = entries;
    if (typed.trim() !== '' && earlier !== undefined && !earlier.includes('--'))
      entries.splice(0, 2, `${earlier} ${line}`);
    history = [...entries];
  });
  terminal.on('SIGINT', () => {
    if (running) return running.abort();
    terminal.write(null, { ctrl: true, name: 'e' });
    terminal.write(null, { ctrl: true, name: 'u' });
    typed = '';
    streams.stderr.write('^C\n');
    terminal.setPrompt(PROMPT);
    terminal.prompt();
  });
  const close = () => terminal.close();
  signal.addEventListener('abort', close);
  const form = { format: await context.format(), view: await context.view() };
  try {
    for (;;) {
      terminal.setPrompt(typed.trim() === '' ? PROMPT : CONTINUED);
      terminal.prompt();
      const line = await lines.next();
      if (line === undefined || (typed.trim() === '' && LEAVES.test(line))) break;
      const { statements, rest } = splitStatements(`${typed}${line}\n`);
      typed = rest;
      for (const statement of statements) {
        running = new AbortController();
        const style = styleOf(streams.stdout, context.env);
        try {
          if (!isFixed) ({ mirror, session } = await current(context, mirror, session));
          const rows = await answer(statement, { mirror, session, signal: running.signal });
          yield* render(rows, { ...form, style, say: context.note });
          context.progress().stop();
          for (const { text, warning } of rows.notes?.() ?? []) (warning ? context.say : context.note)(text);
        } catch (error) {
          context.progress().stop();
          await showError(context, error, {
            isInterrupted: running.signal.aborted,
            json: isJson(form.format),
          });
        }
        running = undefined;
      }
    }
  } finally {
    signal.removeEventListener('abort', close);
    terminal.close();
    session.close();
    await writePrivateFile(file, history.map((line) => `${line}\n`).join('')).catch(() => undefined);
  }
  signal.throwIfAborted();
  streams.stderr.write('\n');
}

/** Opens a new session if a run has updated the mirror. */
async function current(context: Context, mirror: Mirror, session: SqlSession) {
  const now = await openMirror(mirror.directory, {
    workspace: partitionOf(mirror.manifest.workspace),
    flags: await legFlags(context, {}),
  });
  if (now.manifest.lastRun.endedAt === mirror.manifest.lastRun.endedAt) return { mirror: now, session };
  const fresh = await openSqlSession(context, now);
  session.close();
  context.note('The mirror was updated. Queries now read the new state.');
  return { mirror: now, session: fresh };
}

async function showError(
  { streams, style }: Context,
  error: unknown,
  { isInterrupted, json }: { readonly isInterrupted: boolean; readonly json: boolean },
): Promise<void> {
  const known = isInterrupted ? new InterruptedError('INTERRUPTED', 'Interrupted') : error;
  if (!(known instanceof CryptodataError)) throw error;
  await reportError(known, { json, debug: false, style, say: (text) => void streams.stderr.write(text) });
}

async function readHistory(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

/** A queue of typed lines. */
function queue() {
  const waiting: string[] = [];
  let ended = false;
  let wake = () => {};
  return {
    add(line: string) {
      waiting.push(line);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    /** The next line; undefined after the last line. */
    async next(): Promise<string | undefined> {
      while (waiting.length === 0 && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return waiting.shift();
    },
  };
}
