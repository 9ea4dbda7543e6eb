import type { CryptodataError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { jsonText } from '../core/json.ts';
import { escapeHostile } from '../core/text.ts';
import { wrap } from '../core/wrap.ts';
import { paint, type Style } from '../formats/style.ts';

export interface ErrorReportOptions {
  /** Whether to report an error as one JSON object. This is the case with `-o json` and `-o jsonl`. */
  readonly json: boolean;
  readonly debug: boolean;
  readonly style: Style;
  readonly say: (text: string) => void;
}

/** Reports an error: what failed and why, then how to fix it. */
export async function reportError(
  error: CryptodataError,
  { json, debug, style, say }: ErrorReportOptions,
): Promise<void> {
  if (json) {
    const { code, message, status = null, hint = null, details = null } = error;
    say(jsonLine({ code, message, status, hint, details }, error, debug));
  } else {
    const message = lines(`error: ${escapeHostile(error.message)}`, style);
    say(`${message.replace(/^error:/, paint(style, 'red', 'error:'))}\n`);
    if (error.hint) say(`${lines(escapeHostile(error.hint), style)}\n`);
    // If the process has reached its limit of open files, no further module can be loaded.
    const catalogue = await import('../api/errors.ts').catch(() => undefined);
    if (catalogue?.cataloguedError(error.code)) say(`More: cryptodata help errors ${error.code}\n`);
    if (debug) say(`${stacks(error)}\n`);
  }
}

/** Returns one line of JSON. With `--debug`, this line includes the stack traces. */
function jsonLine(members: JsonRecord, error: unknown, debug: boolean): string {
  return `${jsonText({ error: debug ? { ...members, stack: stacks(error) } : members })}\n`;
}

export function reportBug(
  error: unknown,
  { json, debug, style, say, version }: ErrorReportOptions & { readonly version: string },
): void {
  const message = error instanceof Error ? error.message : String(error);
  const hint = `This is a bug in cryptodata ${version}. ${debug ? 'Please report it with the lines below.' : 'Run the command again with --debug, and report the bug with that output.'}`;
  if (json) {
    say(jsonLine({ code: 'BUG', message, status: null, hint, details: null }, error, debug));
    return;
  }
  say(`${paint(style, 'red', 'error:')} ${escapeHostile(message)}\n${hint}\n`);
  if (debug) say(`${stacks(error)}\n`);
}

/** Breaks lines between words. Otherwise, the terminal would break lines within words. */
function lines(text: string, { width }: Style): string {
  return width === undefined ? text : wrap(text, width);
}

/**
 * Returns the stack traces of an error and its causes. Other properties are omitted, because they may contain requests or
 * responses with secrets.
 */
function stacks(error: unknown): string {
  const lines: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    lines.push(`${lines.length === 0 ? '' : 'caused by: '}${escapeHostile(cause.stack ?? cause.message)}`);
  }
  return lines.join('\n');
}
