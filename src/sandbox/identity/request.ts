import { IncomingMessage } from 'node:http';

const MAX_FORM_BYTES = 64 * 1024;

/** Caches the form data of each request, because a body can be read only once. */
const forms = new WeakMap<IncomingMessage, Promise<URLSearchParams | undefined>>();

/** Reads the form data in the body. Resolves to undefined if the body is not form data or is too large. */
export function readForm(req: IncomingMessage): Promise<URLSearchParams | undefined> {
  const form = forms.get(req) ?? readBody(req);
  forms.set(req, form);
  return form;
}

async function readBody(req: IncomingMessage): Promise<URLSearchParams | undefined> {
  const type = req.headers['content-type'] ?? '';
  if (!type.toLowerCase().startsWith('application/x-www-form-urlencoded')) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    const part: unknown = chunk;
    if (!Buffer.isBuffer(part)) return undefined;
    size += part.length;
    if (size > MAX_FORM_BYTES) return undefined;
    chunks.push(part);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

interface Rewrite {
  /** Path and query, relative to the library's mount path. */
  readonly url: string;
  readonly mountPath: string;
  /** Value of the Authorization header. If undefined, the header is removed. */
  readonly authorization?: string | undefined;
  readonly form?: URLSearchParams | undefined;
}

/**
 * Copies a request, and replaces its address, Authorization header and form. oidc-provider reads the body from the stream, so
 * the copy has a new stream with the form.
 */
export function rewriteRequest(
  req: IncomingMessage,
  { url, mountPath, authorization, form }: Rewrite,
): IncomingMessage {
  const copy = new IncomingMessage(req.socket);
  const body = form === undefined ? undefined : Buffer.from(form.toString());
  copy.method = req.method;
  copy.url = url;
  copy.httpVersion = req.httpVersion;
  copy.headers = { ...req.headers };
  if (authorization === undefined) delete copy.headers.authorization;
  else copy.headers.authorization = authorization;
  delete copy.headers['transfer-encoding'];
  delete copy.headers['content-length'];
  if (body !== undefined) {
    copy.headers['content-length'] = String(body.length);
    copy.push(body);
  }
  copy.push(null);
  copy.complete = true;
  return Object.assign(copy, { originalUrl: `${mountPath}${url}` });
}
