import { IncomingMessage } from 'node:http';

const LIMIT = 64 * 1024;

/** A body can be read once, and more than one wants to know the form. */
const forms = new WeakMap<IncomingMessage, Promise<URLSearchParams | undefined>>();

/** The body of a form post, or undefined when it is no form or too large to be one. */
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
    if (size > LIMIT) return undefined;
    chunks.push(part);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

export interface Rewrite {
  /** Path and query as the library sees it, below its mount path. */
  readonly url: string;
  readonly mountPath: string;
  /** Undefined leaves the header out. */
  readonly authorization?: string | undefined;
  readonly form?: URLSearchParams | undefined;
}

/**
 * The request again, with another address, bearer token or form. oidc-provider reads the body from the stream by
 * itself, so a form that was read to be looked at has to be put into a new one.
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
