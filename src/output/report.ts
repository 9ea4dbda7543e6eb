import { inspect } from 'node:util';
import type { CryptodataError } from '../base/errors.ts';
import { stringifyJson } from '../base/json.ts';
import { paint, type Style } from './style.ts';
import { showText } from './text.ts';

export interface ReportOptions {
  /** Errors as one JSON object, for `-o json` and `-o jsonl`. */
  readonly json: boolean;
  readonly debug: boolean;
  readonly style: Style;
  readonly say: (text: string) => void;
}

/** Tells an error on stderr: what failed and why, then what to do next. */
export function reportError(error: CryptodataError, { json, debug, style, say }: ReportOptions): void {
  if (json) {
    const { code, message, status, hint, details } = error;
    say(
      `${stringifyJson({ error: { code, message, status: status ?? null, hint: hint ?? null, details: details ?? null } })}\n`,
    );
  } else {
    say(`${paint(style, 'red', 'error:')} ${lines(error.message)}\n`);
    if (error.hint) say(`${lines(error.hint)}\n`);
  }
  if (debug) say(`${inspect(error)}\n`);
}

/** Tells what nobody foresaw. */
export function reportBug(
  error: unknown,
  { json, debug, style, say, version }: ReportOptions & { readonly version: string },
): void {
  const message = error instanceof Error ? error.message : String(error);
  const hint = `This is a bug in cryptodata ${version}. ${debug ? 'Please report it with the lines below.' : 'Run the command again with --debug and report it with what that shows.'}`;
  if (json) say(`${stringifyJson({ error: { code: 'BUG', message, status: null, hint, details: null } })}\n`);
  else say(`${paint(style, 'red', 'error:')} ${lines(message)}\n${hint}\n`);
  if (debug) say(`${inspect(error)}\n`);
}

function lines(text: string): string {
  return text.split('\n').map(showText).join('\n');
}
