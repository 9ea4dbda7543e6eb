import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { messagesOf, run, sandboxed, temporary } from './harness.ts';
import { sendJson, stub } from './stub.ts';

const sandbox = await sandboxed({ rows: 10, csvMaxFiles: 2, csvMaxFileSize: 100_000 });
beforeEach(() => sandbox.reset());
const { env } = sandbox;
const home = temporary();
const cli = (...args: string[]) => run(args, { env, cwd: home });

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(join(home, name), content);
  return name;
}
const good = file('good.csv', 'date,amount\n2025-01-01,1\n');
const other = file('other.csv', 'date;amount\n2025-01-01;1\n');
const header = file('header.csv', 'date,amount\n');
const text = file('notes.txt', 'x');
const large = file('large.csv', `date,amount\n${'2025-01-01,1\n'.repeat(10_000)}`);
const doubtful = file('doubtful.csv', 'date,amount\n03/04/2025,1\n');
const odd = file('odd.csv', 'a,a\n1\n');

describe('csv check', () => {
  test('the command "csv check" describes each file in JSON, and needs no login', async () => {
    const { code, stdout, stderr } = await run(['csv', 'check', good, other, '--json'], { cwd: home });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        file: good,
        type: 'csv',
        bytes: 25,
        encoding: 'UTF-8',
        delimiter: ',',
        sheets: null,
        header: ['date', 'amount'],
        rows: 1,
        findings: [],
      },
      {
        file: other,
        type: 'csv',
        bytes: 25,
        encoding: 'UTF-8',
        delimiter: ';',
        sheets: null,
        header: ['date', 'amount'],
        rows: 1,
        findings: [],
      },
    ]);
    expect(stderr).toMatch(/^{"note":"No findings\."}\n{"note":"The specification does not limit/);
  });

  test('reports the file and line of each finding, and exits with 10 if --exit-code is set', async () => {
    const told = await cli('csv', 'check', good, odd, '--exit-code');
    expect(told.code).toBe(10);
    expect(told.stdout).toMatch(/^file +type +bytes +encoding +delimiter +columns +rows +found$/m);
    expect(told.stdout).toMatch(/^odd\.csv +csv +6 +UTF-8 +comma +2 +1 +2$/m);
    expect(told.stderr).toMatch(
      /^odd\.csv:1: error: The header uses the name "a" for 2 columns: 1, 2\nodd\.csv:2: error: 1 row has a different number/,
    );
    expect((await cli('csv', 'check', odd)).code).toBe(0);
    expect((await cli('csv', 'check', good, '--exit-code')).code).toBe(0);
    const warned = await cli('csv', 'check', doubtful, '--exit-code');
    expect({ code: warned.code, stderr: warned.stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(
        'doubtful.csv:2: warning: Column "date": 1 date has several possible readings',
      ),
    });
  });

  test('a finding in several columns is counted once and printed on one line', async () => {
    const twice = file('twice.csv', 'bought,sold,note\n03/04/2025,05/06/2025,x\n');
    const { stdout, stderr } = await cli('csv', 'check', twice);
    const [first, second = '', ...rest] = stderr.split('\n');
    expect(first).toMatch(/: warning: Column "bought": .*; also in column "sold"$/);
    expect([second, ...rest].join('\n')).toMatch(/^0 errors, 1 warning\./);
    expect(stdout).toMatch(/^twice\.csv .* 1$/m);
  });

  test('the command "csv check" applies the limits from --max-size and --max-files', async () => {
    const args = ['csv', 'check', good, other, '--max-size', '24', '--max-files', '1', '--json'];
    const { stdout } = await cli(...args);
    const codes = JSON.parse(stdout).map(({ findings }: { findings: { code: string }[] }) =>
      findings.map(({ code }) => code),
    );
    expect(codes).toEqual([['TOO_LARGE'], ['TOO_LARGE', 'TOO_MANY_FILES']]);
    expect((await cli('csv', 'check', good, '--max-size', '25')).stderr).not.toContain('the limit is');
    expect((await cli('csv', 'check', good, '--max-size', '5x')).code).toBe(2);
  });

  test('escapes control characters in a header', async () => {
    const evil = file('evil.csv', 'a\u001b[31m,a\u001b[31m\n1,2\n');
    const { stdout, stderr } = await cli('csv', 'check', evil);
    expect(stdout + stderr).not.toContain('\u001b');
    expect(stderr).toContain('"a\\u001b[31m"');
  });

  test('exits with 2 if a file cannot be read', async () => {
    mkdirSync(join(home, 'folder.csv'), { recursive: true });
    expect(await cli('csv', 'check', 'nosuch.csv')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Cannot read "nosuch.csv": the file does not exist'),
    });
    expect((await cli('csv', 'check', 'folder.csv')).stderr).toContain(
      'error: Cannot read "folder.csv": it is a folder\n',
    );
  });
});

describe('csv upload', () => {
  const upload = (...args: string[]) => cli('csv', 'upload', ...args);

  test('the command "csv upload" sends each file unchanged, in the form field that is set by --field', async () => {
    const bytes = Buffer.concat([Buffer.from('504b03040000', 'hex'), randomBytes(3_000_000)]);
    const book = file('bücher "1".xlsx', bytes);
    const forms: FormData[] = [];
    const { env } = await stub((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', async () => {
        const headers = { 'content-type': request.headers['content-type'] ?? '' };
        expect(request.headers['content-length']).toBe(String(Buffer.concat(parts).length));
        forms.push(await new Response(new Uint8Array(Buffer.concat(parts)), { headers }).formData());
        sendJson(response, 201, '{"success":true,"data":{"failures":[]}}');
      });
    });
    const args = ['csv', 'upload', book, good, '--field', 'docs', '--form', 'a=b=c', '--yes'];
    const { code, stderr } = await run(args, { env, cwd: home });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^.+: error: The workbook cannot be read.*\nwarning: 1 file has errors\. An upload sends all files unchanged\.\n2 files \(3\.0 MB\) uploaded\. The response does not say which rows the service imported\.\n$/,
      ),
    });
    const [form] = forms;
    expect(form?.get('a')).toBe('b=c');
    const [first, second] = form?.getAll('docs') ?? [];
    if (typeof first !== 'object' || typeof second !== 'object') throw new Error('no files');
    expect([first.name, second.name, second.type]).toEqual(['bücher "1".xlsx', good, 'text/csv']);
    const sha = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
    expect(sha(new Uint8Array(await first.arrayBuffer()))).toBe(sha(bytes));
  });

  test('"csv upload" prints the same findings as "csv check", before it asks for confirmation', async () => {
    const lines = (stderr: string) => stderr.split('\n').filter((line) => /^\w+\.csv:\d+: /.test(line));
    const checked = await cli('csv', 'check', odd, doubtful);
    const { code, stderr } = await upload(odd, doubtful, '--field', 'f');
    expect(lines(stderr)).toEqual(lines(checked.stderr));
    expect(lines(stderr).map((line) => line.split(': ')[1])).toEqual(['error', 'error', 'warning']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /\nwarning: 1 file has errors\. An upload sends all files unchanged\.\nerror: Confirmation required/,
      ),
    });
  });

  test('the command "csv upload" reports that a sandbox imports nothing', async () => {
    const { code, stderr } = await upload(good, '--field', 'nonsense', '--yes');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        '1 file (25 bytes) uploaded. The response does not say which rows the service imported.\nThe sandbox checks uploaded files, but does not import them. No transaction, leg or account was added.\n',
    });
  });

  test('the command "csv upload" lists the files that the service rejected, and exits with 11', async () => {
    const { code, stdout, stderr } = await upload(good, header, '--field', 'f', '--yes', '--json');
    expect(code).toBe(11);
    expect(JSON.parse(stdout)).toEqual({ failures: [header] });
    expect(messagesOf(stderr)).toMatchObject({
      notes: [expect.stringContaining('does not import them')],
      warnings: [
        expect.stringContaining('header.csv: error: There are no rows below the header'),
        '1 file has errors. An upload sends all files unchanged.',
      ],
      error: { code: 'PARTIAL_FAILURE' },
    });
    const table = await upload(header, '--field', 'f', '--yes');
    expect(table.stdout).toBe(`failures  1 item\n\nfailures\nitem\n${header}\n`);
  });

  test('the command "csv upload" reads the name of the form field from the setting csv_field (alias csv.field)', async () => {
    const own = { ...env, CRYPTODATA_CONFIG_DIR: temporary() };
    expect(await run(['config', 'set', 'csv.field', 'docs'], { env: own })).toMatchObject({ code: 0 });
    expect((await run(['config', 'get', 'csv_field'], { env: own })).stdout).toBe('docs\n');
    const dry = await run(['csv', 'upload', good, '--dry-run', '--json'], { env: own, cwd: home });
    expect(JSON.parse(dry.stdout)).toMatchObject({
      method: 'POST',
      url: `${sandbox.url}/v1/csv/upload`,
      headers: {
        'content-type': expect.stringMatching(/^multipart\/form-data; boundary=/),
        Authorization: '***',
      },
      form: [{ name: 'docs', file: good, type: 'text/csv', bytes: 25 }],
    });
    expect(sandbox.truth.requests()).toEqual([]);
  });

  test.each<[string, string[], RegExp]>([
    [
      'confirmation',
      [good, '--field', 'f'],
      /^error: Confirmation required: Upload 1 file \(25 bytes\) to http/,
    ],
    ['a field name', [good, '--yes'], /config set csv_field NAME/],
    [
      'an accepted file type',
      [text, '--field', 'f', '--yes'],
      /^error: Not sent: notes\.txt: The name of the file does not end with \.csv/,
    ],
    ['an accepted file size', [good, '--field', 'f', '--yes', '--max-size', '9'], /the limit is 9/],
    ['a value in --form', [good, '--field', 'f', '--yes', '--form', 'x'], /name=value/],
    ['files', ['--field', 'f', '--yes'], /missing required argument/],
  ])('the command "csv upload" sends nothing without %s', async (_, args, says) => {
    const { code, stdout, stderr } = await upload(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(says);
    expect(sandbox.truth.requests()).toEqual([]);
  });

  test.each<[string, string[], number, RegExp]>([
    ['TOO_MANY_FILES', [good, other, odd], 400, /Upload fewer files at a time/],
    ['FILE_TOO_LARGE', [large], 413, /Split the file/],
  ])('exits with 7 and prints a hint for the error %s', async (expected, files, status, hint) => {
    const { code, stderr } = await upload(...files, '--field', 'f', '--yes', '--json');
    expect(code).toBe(7);
    const { error } = messagesOf(stderr);
    expect(error).toMatchObject({ code: expected, status });
    expect(error?.['hint']).toMatch(hint);
  });

  test.each<[string, RegExp]>([
    ['FILE_REQUIRED', /csv upload --field NAME/],
    ['INVALID_FILE_TYPE', /csv check/],
  ])('does not retry after the error %s, but prints a hint and exits with 7', async (expected, hint) => {
    const answer = JSON.stringify({ success: false, error: 'no', code: expected });
    const { env, requests } = await stub((request, response) => {
      request.resume().on('end', () => sendJson(response, 400, answer));
    });
    const args = ['csv', 'upload', good, '--field', 'f', '--yes', '--json'];
    const { code, stderr } = await run(args, { env, cwd: home });
    expect(code).toBe(7);
    expect(messagesOf(stderr)).toMatchObject({
      error: { code: expected, hint: expect.stringMatching(hint) },
    });
    expect(requests).toEqual(['/v1/csv/upload']);
  });
});
