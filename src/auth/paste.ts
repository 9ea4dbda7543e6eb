import { CryptodataError, messageOf } from '../core/errors.ts';
import { readCallback } from './callback.ts';

/**
 * The parameters of a redirect that somebody pasted: the whole address, or its query with or without `?`; the
 * line breaks and spaces that a terminal or a chat put in are taken out. Null where it is no such thing.
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
  // Some browsers show one of this machine's two names for the other.
  const here = given.hostname === '127.0.0.1' || given.hostname === 'localhost';
  const same = here && given.port === wanted.port && given.pathname === wanted.pathname;
  return same ? given.search.slice(1) : null;
}

export interface PasteOptions {
  readonly redirectUri: string;
  readonly state: string;
  /** What is wrong with what was pasted; the wait goes on. */
  readonly onBadPaste: (message: string) => void;
  /** Milliseconds without a further line, after which what came is all that was pasted. */
  readonly quiet?: number;
}

/** Lines kept, since an address may be broken into several. */
const MOST_LINES = 50;

/**
 * Reads pasted lines until they make the redirect of this login, and returns its code; undefined where the
 * lines end before. A pasted text may come as several lines: they are tried together as well as alone.
 *
 * @throws CryptodataError where the redirect is this login's, and says that it failed (a denial)
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
      if (kept.length > MOST_LINES) {
        kept.shift();
        judged = Math.max(0, judged - 1);
      }
      // What may still grow by another line is judged when no other came.
      const code = findCode(kept, judged, options, true);
      if (code !== undefined) return code;
      next = iterator.next();
      continue;
    }
    if (judged < kept.length) {
      const code = findCode(kept, judged, options, false);
      if (code !== undefined) return code;
      options.onBadPaste(whatIsWrong(kept.slice(judged).join(''), options));
      judged = kept.length;
    }
    if (result !== 'quiet') return undefined;
  }
}

/** The code of a redirect that carries this login's state, in the last lines taken together. */
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

/** A code at the end may go on in the next line; a state there shows by itself whether it is whole. */
function mayGrow(parameters: URLSearchParams): boolean {
  const last = [...parameters.keys()].at(-1);
  return last !== 'state';
}

const NOT_THIS_LOGIN: ReadonlySet<string> = new Set(['FORGED_STATE', 'CALLBACK_INVALID']);

function whatIsWrong(text: string, { redirectUri, state }: PasteOptions): string {
  const parameters = parsePasted(text, redirectUri);
  if (!parameters) {
    return `That is not the address that the browser ended at. It begins with ${redirectUri}? and has a code and a state in it.`;
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
