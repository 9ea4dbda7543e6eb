import type { Dispatcher } from 'undici';
import { parseJson } from './json.ts';
import type { Redactor } from './redact.ts';
import { isSecretName } from './secret-shapes.ts';

/**
 * Tells the redactor every secret that goes out, before it does: credentials in headers, fields of forms, members of
 * JSON, parameters of a query. Whatever an answer, or an error on the way, says of them is then known for what it is.
 */
export function concealSent(dispatcher: Dispatcher, redactor: Redactor): Dispatcher {
  return dispatcher.compose((dispatch) => (request, handler) => {
    const headers = headersOf(request.headers);
    for (const [name, value] of headers) {
      if (isSecretName(name)) redactor.conceal(value.replace(/^(?:bearer|basic)\s+/i, ''));
    }
    concealFields(request.path.split('?')[1] ?? '', redactor, isSecretName);
    if (typeof request.body === 'string') {
      const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
      if (/\bjson\b/i.test(type)) concealJson(request.body, redactor);
      else if (/\bform-urlencoded\b/i.test(type)) concealFields(request.body, redactor, isFormSecret);
    }
    return dispatch(request, handler);
  });
}

function headersOf(headers: Dispatcher.DispatchOptions['headers']): [name: string, value: string][] {
  if (!headers) return [];
  if (Array.isArray(headers)) {
    const flat: unknown[] = headers;
    return flat.flatMap((name, at) => (at % 2 === 0 ? [[String(name), String(flat[at + 1])]] : []));
  }
  const entries: Iterable<[string, unknown]> = Symbol.iterator in headers ? headers : Object.entries(headers);
  return [...entries].map(([name, value]) => [name, String(value)]);
}

/** `code` and `token` are names of secrets in a form only: elsewhere they name errors, and assets. */
const isFormSecret = (name: string) => isSecretName(name) || name === 'code' || name === 'token';

function concealFields(form: string, redactor: Redactor, names: (name: string) => boolean): void {
  for (const [name, value] of new URLSearchParams(form)) if (names(name)) redactor.conceal(value);
}

function concealJson(text: string, redactor: Redactor): void {
  try {
    redactor.concealMembers(parseJson(text));
  } catch {
    // not JSON after all
  }
}
