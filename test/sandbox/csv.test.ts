// Spec: POST /v1/csv/upload. Tests the four reasons to reject a request, and the list of failed files in a 2xx response.

import { describe, expect, it } from 'vitest';
import { bearer, call, post, start } from './helpers.ts';

const sandbox = await start({ rows: 1, csvMaxFiles: 3, csvMaxFileSize: 1000 });
const GOOD = 'date,amount\n2024-01-01,1\n';

function upload(files: readonly (readonly [name: string, content: string | Uint8Array])[], field = 'file') {
  const form = new FormData();
  for (const [name, content] of files) form.append(field, new Blob([content.slice()]), name);
  const { headers } = bearer(sandbox.env['CRYPTODATA_ACCESS_TOKEN'] ?? '');
  return call(`${sandbox.url}/v1/csv/upload`, { method: 'POST', headers, body: form });
}

async function rejected(answer: ReturnType<typeof upload>, status: number, code: string) {
  const { status: got, body } = await answer;
  expect([got, body['code'], body['success']]).toEqual([status, code, false]);
  expect(Object.keys(body)).toEqual(['success', 'error', 'code', 'details']);
}

describe('a CSV upload', () => {
  it('accepts the three file types in a form field with any name [current.csv-upload, current.csv-upload.types]', async () => {
    const files = [
      ['a.csv', GOOD],
      ['B.XLSX', Uint8Array.from([0x50, 0x4b, 3, 4, 0])],
      ['c.xls', Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0])],
    ] as const;
    for (const field of ['file', 'files[]', 'whatever']) {
      const { status, body } = await upload(files, field);
      expect([status, body]).toEqual([200, { success: true, data: { failures: [] } }]);
    }
  });

  it('reports unreadable files in a 2xx response [partial.csv-upload, silent.failed-items, silent.what-fails]', async () => {
    const { status, body } = await upload([
      ['empty.csv', ''],
      ['good.csv', GOOD],
      ['header only, "quoted".csv', 'date,amount\r\n\r\n'],
    ]);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, data: { failures: ['empty.csv', 'header only, "quoted".csv'] } });
    for (const name of ['no-workbook.xlsx', 'no-workbook.xls']) {
      expect((await upload([[name, GOOD]])).body).toEqual({ success: true, data: { failures: [name] } });
    }
  });

  it('an upload adds no leg, and the response explains this [silent.csv-import]', async () => {
    const before = sandbox.truth.ledgers;
    const { status, headers } = await upload([['a.csv', GOOD]], 'nonsense');
    expect([status, sandbox.truth.ledgers]).toEqual([200, before]);
    expect(headers.get('x-cryptodata-sandbox')).toContain('does not import them');
  });

  it('rejects a request without a file', async () => {
    await rejected(upload([]), 400, 'FILE_REQUIRED');
    await rejected(post(sandbox, '/v1/csv/upload'), 400, 'FILE_REQUIRED');
    await rejected(post(sandbox, '/v1/csv/upload', { file: GOOD }), 400, 'FILE_REQUIRED');
    const form = new FormData();
    form.set('file', GOOD);
    const { headers } = bearer(sandbox.env['CRYPTODATA_ACCESS_TOKEN'] ?? '');
    const texts = call(`${sandbox.url}/v1/csv/upload`, { method: 'POST', headers, body: form });
    await rejected(texts, 400, 'FILE_REQUIRED');
    const torn = call(`${sandbox.url}/v1/csv/upload`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\n\r\na,b',
    });
    await rejected(torn, 400, 'FILE_REQUIRED');
  });

  it('rejects files with an unsupported or missing extension', async () => {
    for (const name of ['a.txt', 'a.csv.exe', 'csv', 'a.csvx']) {
      await rejected(
        upload([
          ['good.csv', GOOD],
          [name, GOOD],
        ]),
        400,
        'INVALID_FILE_TYPE',
      );
    }
  });

  it('rejects too many files [limits.csv, wrapped.TOO_MANY_FILES]', async () => {
    const files = ['a.csv', 'b.csv', 'c.csv', 'd.csv'].map((name) => [name, GOOD] as const);
    expect((await upload(files.slice(1))).status).toBe(200);
    await rejected(upload(files), 400, 'TOO_MANY_FILES');
  });

  it('rejects files that are too large [limits.csv, wrapped.FILE_TOO_LARGE]', async () => {
    const fit = `a\n${'1'.repeat(998)}`;
    expect((await upload([['fits.csv', fit]])).body).toEqual({ success: true, data: { failures: [] } });
    await rejected(upload([['large.csv', `${fit}1`]]), 413, 'FILE_TOO_LARGE');
    await rejected(upload([['huge.csv', 'x'.repeat(3_000_000)]]), 413, 'FILE_TOO_LARGE');
  });

  it('a CSV upload requires a token', async () => {
    const answer = await call(`${sandbox.url}/v1/csv/upload`, { method: 'POST' });
    expect([answer.status, answer.body['error']]).toEqual([401, 'unauthorized']);
  });

  it('the sandbox rejects upload limits that are not positive integers [not-shown.csv-limits]', async () => {
    await expect(start({ csvMaxFiles: 0 })).rejects.toThrow(RangeError);
    await expect(start({ csvMaxFileSize: 1.5 })).rejects.toThrow(RangeError);
  });
});
