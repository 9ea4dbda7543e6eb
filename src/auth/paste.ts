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
  /** A paste counts as complete after this many milliseconds without another line (default: 500). */
  readonly quiet?: number;
}

/** Maximum number of lines that an address may be broken into. */
const MAX_LINES = 50;

/**
 * Reads pasted lines until they contain the redirect of this login. Returns the code in the redirect, or undefined if the input
 * ends first. The redirect may be broken into several lines.
 *
 * @throws CryptodataError if the redirect belongs to this login and reports a failure, such as a denial
 */
export async function readPasted(
  lines: AsyncIterable<string>,
  options: PasteOptions,
): Promise<string | undefined> {
  const kept: string[] = [];
  let judged = 0;
  const iterator = lines[Symbol.asyncIterator]();
  let next = iterator.next();
  for (;;) {
    const result = judged < kept.length ? await orQuiet(next, options.quiet ?? 500) : await next;
    if (result !== 'quiet' && !result.done) {
      if (result.value.trim() !== '') kept.push(result.value);
      if (kept.length > MAX_LINES) {
        kept.shift();
        judged = Math.max(0, judged - 1);
      }
      // `findCode` skips a redirect that may continue on the next line. If no further line arrives, the redirect is tried
      // below.
      const code = findCode(kept, judged, options, true);
      if (code !== undefined) return code;
      next = iterator.next();
      continue;
    }
    if (judged < kept.length) {
      const code = findCode(kept, judged, options, false);
      if (code !== undefined) return code;
      options.onBadPaste(reasonAgainst(kept.slice(judged).join(''), options));
      judged = kept.length;
    }
    if (result !== 'quiet') return undefined;
  }
}

/** Returns the code if the last lines together form the redirect of this login; otherwise undefined. */
function findCode(
  lines: readonly string[],
  judged: number,
  { redirectUri, state }: PasteOptions,
  sure: boolean,
): string | undefined {
  for (let first = 0; first < lines.length && lines.length > judged; first++) {
    const text = lines.slice(first).join('');
    const parameters = parsePasted(text, redirectUri);
    if (!parameters) continue;
    if (sure && mayGrow(parameters)) continue;
    try {
      return readCallback(parameters, state);
    } catch (error) {
      if (!(error instanceof CryptodataError) || NOT_THIS_LOGIN.has(error.code)) continue;
      throw error;
    }
  }
  return undefined;
}

/**
 * Whether the text may continue on the next line. If it ends with `state`, it is complete, because an incomplete `state` does
 * not match.
 */
function mayGrow(parameters: URLSearchParams): boolean {
  const last = [...parameters.keys()].at(-1);
  return last !== 'state';
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

async function orQuiet<T>(next: Promise<T>, quiet: number): Promise<T | 'quiet'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'quiet'>((resolve) => {
    timer = setTimeout(() => resolve('quiet'), quiet);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}
