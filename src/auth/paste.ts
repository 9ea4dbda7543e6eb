import { setTimeout } from 'node:timers/promises';
import { CryptodataError, messageOf } from '../core/errors.ts';
import { readCallback } from './callback.ts';

/**
 * Returns the parameters of a pasted redirect, or null if the text is not a redirect. The text may be the whole address, or
 * only the query. Line breaks and spaces are removed, because a terminal or a chat may insert them.
 */
export function parsePasted(text: string, redirectUri: string): URLSearchParams | null {
  const bare = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, '').replace(/^[<"'([]+|[>"')\]]+$/g, '');
  const query = /^https?:/i.test(bare) ? queryOfRedirect(bare, redirectUri) : bare.replace(/^\?/, '');
  if (query === null) return null;
  const parameters = new URLSearchParams(query.split('#', 1)[0]);
  const answers = parameters.has('state') && (parameters.has('code') || parameters.has('error'));
  return answers ? parameters : null;
}

function queryOfRedirect(address: string, redirectUri: string): string | null {
  if (!URL.canParse(address)) return null;
  const [given, wanted] = [new URL(address), new URL(redirectUri)];
  // Some browsers replace `localhost` with `127.0.0.1`, or `127.0.0.1` with `localhost`.
  const here = given.hostname === '127.0.0.1' || given.hostname === 'localhost';
  const same = here && given.port === wanted.port && given.pathname === wanted.pathname;
  return same ? given.search.slice(1) : null;
}

export interface PasteOptions {
  readonly redirectUri: string;
  readonly state: string;
  /** Called with the reason if pasted text cannot be used. Reading then continues. */
  readonly onBadPaste: (message: string) => void;
  /** A paste counts as complete if no further line arrives within this many milliseconds (default: 500). */
  readonly quiet?: number;
}

/** Maximum number of lines into which a pasted address may be broken. */
const MAX_LINES = 50;

/**
 * Reads pasted lines until they contain the redirect of this login. Returns the code in the redirect, or undefined if the input
 * ends first. A terminal may break the redirect into several lines, so the lines are parsed only after a short pause in the
 * input.
 *
 * @throws CryptodataError if the redirect belongs to this login and reports a failure, such as a denial
 */
export async function readPasted(
  lines: AsyncIterable<string>,
  options: PasteOptions,
): Promise<string | undefined> {
  const { quiet = 500, onBadPaste } = options;
  let kept: string[] = [];
  let fresh = '';
  const iterator = lines[Symbol.asyncIterator]();
  for (let next = iterator.next(); ; ) {
    const silence = fresh === '' ? [] : [setTimeout(quiet, 'quiet' as const, { ref: false })];
    const result = await Promise.race([next, ...silence]);
    if (result !== 'quiet' && !result.done) {
      fresh += result.value.trim();
      kept = [...kept, result.value].slice(-MAX_LINES);
      next = iterator.next();
      continue;
    }
    if (fresh !== '') {
      const code = findCode(kept, options);
      if (code !== undefined) return code;
      onBadPaste(reasonAgainst(fresh, options));
      fresh = '';
    }
    if (result !== 'quiet') return undefined;
  }
}

/**
 * Returns the code if the last lines, joined together, are the redirect of this login. Otherwise, returns undefined.
 */
function findCode(lines: readonly string[], { redirectUri, state }: PasteOptions): string | undefined {
  for (const first of lines.keys()) {
    const parameters = parsePasted(lines.slice(first).join(''), redirectUri);
    try {
      if (parameters) return readCallback(parameters, state);
    } catch (error) {
      if (error instanceof CryptodataError && !NOT_THIS_LOGIN.has(error.code)) throw error;
    }
  }
  return undefined;
}

const NOT_THIS_LOGIN: ReadonlySet<string> = new Set(['FORGED_STATE', 'CALLBACK_INVALID']);

function reasonAgainst(text: string, { redirectUri, state }: PasteOptions): string {
  const parameters = parsePasted(text, redirectUri);
  if (!parameters) {
    return `This is not the final address of the browser. The final address begins with ${redirectUri} and contains a code and a state.`;
  }
  try {
    readCallback(parameters, state);
    return '';
  } catch (error) {
    return messageOf(error);
  }
}
