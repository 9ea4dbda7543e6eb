// Builds a curl command that repeats a request. Secrets are replaced with shell variables.

import type { Excerpt, Exchange } from '../http/exchange.ts';
import { INVISIBLE } from '../http/html.ts';
import { maskHeader, maskJson, maskQuery } from '../http/masks.ts';

/** Headers that curl sets itself, and headers that only a browser needs. */
const OMITTED =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|accept-language|user-agent|priority|sec-.*|upgrade-insecure-requests|origin|referer|keep-alive|expect)$/i;

export interface Curl {
  readonly command: string;
  /** Names of the shell variables in the command. */
  readonly variables: readonly string[];
  /** True if the command lacks the body. A body is omitted if it is not text, or if it was not kept in full. */
  readonly withoutBody: boolean;
}

export function curlOf(origin: string, method: string, exchange: Exchange): Curl {
  const { target, requestHeaders, requestBody } = exchange;
  const variables = new Set<string>();
  // Mark each variable with private-use Unicode characters. `quoted` replaces these characters.
  const variable = (name: string) => {
    const words = name
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .replaceAll('-', '_')
      .toUpperCase();
    const known = words === 'ACCESS_TOKEN' || words === 'AUTHORIZATION' ? 'TOKEN' : words;
    variables.add(known);
    return `\ue000${known}\ue001`;
  };
  const clean = (text: string) => text.replace(/[\ue000\ue001]/g, '');
  const type = headerNamed(requestHeaders, 'content-type');
  const body = excerptText(requestBody);
  const hasBody = requestBody.length > 0;
  const implied = hasBody ? 'POST' : 'GET';
  const parts = [
    `curl ${method === implied ? '' : method === 'HEAD' ? '--head ' : `-X ${quoted(method)} `}${quoted(maskQuery(clean(origin + target), variable))}`,
    ...requestHeaders
      .filter(([name, value]) => !OMITTED.test(name) && !(name.toLowerCase() === 'accept' && value === '*/*'))
      .map(([name, value]) => `-H ${quoted(`${name}: ${maskHeader(name, clean(value), variable)}`)}`),
    ...(hasBody && body !== undefined ? [`--data-raw ${quoted(maskBody(clean(body), type, variable))}`] : []),
  ];
  return {
    command: parts.join(' \\\n  '),
    variables: [...variables],
    withoutBody: hasBody && body === undefined,
  };
}

/** The text of a body; undefined if the body is not text or was not kept in full. */
export function excerptText({ bytes, length }: Excerpt): string | undefined {
  if (bytes.length < length) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function headerNamed(headers: Exchange['requestHeaders'], name: string): string {
  return headers.find(([known]) => known.toLowerCase() === name)?.[1] ?? '';
}

export function maskBody(body: string, type: string, show?: (name: string) => string): string {
  return /urlencoded/i.test(type) ? maskQuery(body, show) : maskJson(body, show);
}

const VARIABLE = /\ue000(\w+)\ue001/g;

/** Quotes a word for a shell, and escapes the characters that the page cannot show. */
function quoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  const isPlain = text === escaped(text);
  if (isPlain && text.includes('\ue000') && !/["$`\\!]/.test(text))
    return `"${text.replace(VARIABLE, '$$$1')}"`;
  const start = isPlain ? "'" : "$'";
  const word = isPlain ? text.replaceAll("'", "'\\''") : escaped(text.replace(/['\\]/g, '\\$&'));
  return `${start}${word.replace(VARIABLE, (_, name: string) => `'"$${name}"${start}`)}'`;
}

function escaped(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    /[\ue000\ue001]/.test(character)
      ? character
      : `\\U${character.codePointAt(0)?.toString(16).padStart(8, '0')}`,
  );
}
