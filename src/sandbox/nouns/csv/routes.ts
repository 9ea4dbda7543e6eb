// Spec: POST /v1/csv/upload. The specification does not define the name of the form field, so any name is accepted.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { refuseWrapped } from '../../http/errors.ts';
import { readFormBody } from '../../http/form.ts';
import type { SandboxSettings } from '../../options.ts';

interface Upload {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Maximum number of bytes for boundaries, part headers and other fields. */
const MULTIPART_OVERHEAD = 1024 * 1024;

/** The specification defines no limits for uploads. */
export function routeCsv(
  app: FastifyInstance,
  guard: preHandlerAsyncHookHandler,
  { csvMaxFiles: maxFiles, csvMaxFileSize: maxFileSize }: SandboxSettings,
): void {
  // Accept a body with one file too many, so that the error is TOO_MANY_FILES instead of FILE_TOO_LARGE.
  const bodyLimit = (maxFiles + 1) * (maxFileSize + 1) + MULTIPART_OVERHEAD;

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post('/v1/csv/upload', { preHandler: guard, bodyLimit }, async (request, reply) => {
      const files = await filesOf(request.body, request.headers['content-type']);
      if (files.length === 0) return refuseWrapped(400, 'FILE_REQUIRED', 'No file attached');
      if (files.length > maxFiles) {
        return refuseWrapped(400, 'TOO_MANY_FILES', `At most ${maxFiles} files per request`, {
          maxFiles,
        });
      }
      const other = files.find(({ name }) => !/\.(csv|xls|xlsx)$/i.test(name));
      if (other !== undefined) {
        return refuseWrapped(400, 'INVALID_FILE_TYPE', 'Not .csv, .xls or .xlsx', { file: other.name });
      }
      const large = files.find(({ bytes }) => bytes.length > maxFileSize);
      if (large !== undefined) {
        return refuseWrapped(413, 'FILE_TOO_LARGE', `At most ${maxFileSize} bytes per file`, {
          file: large.name,
          maxFileSize,
        });
      }
      const failures = files.filter((file) => !isReadable(file)).map(({ name }) => name);
      reply.header('x-cryptodata-sandbox', NOT_IMPORTED);
      return reply.send({ success: true, data: { failures } });
    });
  });
}

const NOT_IMPORTED =
  'The sandbox checks uploaded files, but does not import them. No transaction, leg or account was added.';

async function filesOf(body: unknown, contentType: string | undefined): Promise<Upload[]> {
  if (!/^multipart\/form-data\b/i.test(contentType ?? '')) return [];
  const form = await readFormBody(body, contentType);
  const parts = [...(form?.values() ?? [])].filter((part) => typeof part !== 'string');
  return Promise.all(
    parts.map(async (part) => ({ name: part.name, bytes: Buffer.from(await part.arrayBuffer()) })),
  );
}

/** A CSV file must have a row below its header. A workbook must start with the signature of its format. */
function isReadable({ name, bytes }: Upload): boolean {
  if (/\.csv$/i.test(name)) {
    return (
      bytes
        .toString('utf8')
        .split(/\r\n|\r|\n/)
        .filter((line) => line.trim() !== '').length > 1
    );
  }
  const signature = bytes.toString('hex', 0, 4);
  return /\.xlsx$/i.test(name) ? signature === '504b0304' : signature === 'd0cf11e0';
}
