import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bash, filesIn, run, sandboxed, start, temporary } from './harness.ts';
import { canRestrict, startRestricted } from './restricted.ts';
import { sendJson, stub } from './stub.ts';

const sandbox = await sandboxed({ rows: 600 });
const { env } = sandbox;

function exportTo(out: string, ...more: string[]) {
  return run(['ledgers', 'export', '--out', out, '--format', 'csv', ...more], { env });
}

describe('a command that cannot write its output', () => {
  test('rejects a directory as the output file', async () => {
    const directory = temporary();
    mkdirSync(join(directory, 'there'));
    const { code, stdout, stderr } = await exportTo(join(directory, 'there'));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('it is a directory');
    expect(filesIn(directory)).toEqual([]);
  });

  test('rejects an output path whose parent directory is missing or is a file', async () => {
    const directory = temporary();
    writeFileSync(join(directory, 'file'), 'old');
    const missing = await exportTo(join(directory, 'missing', 'x.csv'));
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('its directory does not exist');
    const below = await exportTo(join(directory, 'file', 'x.csv'));
    expect(below.code).toBe(2);
    expect(below.stderr).toContain('part of the path is not a directory');
    expect(filesIn(directory)).toEqual(['file']);
    expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('old');
  });

  test('sends no request if the output path is invalid', async () => {
    await sandbox.reset();
    await exportTo(join(temporary(), 'missing', 'x.csv'));
    expect(sandbox.truth.requests()).toEqual([]);
  });

  test.skipIf(!existsSync('/dev/full'))('reports a full disk for --out and for stdout', async () => {
    const device = await exportTo('/dev/full');
    expect(device.code).toBe(2);
    expect(device.stderr).toContain('the disk is full');
    for (const format of ['table', 'csv', 'json', 'jsonl']) {
      const { code, stderr } = await bash(`cryptodata ledgers list --all -o ${format} > /dev/full`, { env });
      expect(code, format).toBe(2);
      expect(stderr).toContain('the disk is full');
    }
  });

  test
    .skipIf(!existsSync('/dev/full'))
    .each([
      ['--version'],
      ['ledgers --version'],
      ['--help'],
      ['ledgers list --help'],
      ['help ledgers'],
      ['help output'],
      ['ledgers list --quiet --help'],
    ])('reports a full disk for %s', async (line) => {
    const { code, stderr } = await bash(`cryptodata ${line} > /dev/full`);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('the disk is full') });
  });

  test('with --json and an invalid output path, prints one error object on stderr and nothing on stdout', async () => {
    const { code, stdout, stderr } = await exportTo(join(temporary(), 'missing', 'x.csv'), '--json');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr).error.code).toBe('ENOENT');
  });

  test.skipIf(!canRestrict())('rejects an output file in a read-only directory', async () => {
    const directory = temporary();
    writeFileSync(join(directory, 'old.csv'), 'old', { mode: 0o444 });
    chmodSync(directory, 0o555);
    const line = ['ledgers', 'export', '--overwrite', '--out', join(directory, 'old.csv')];
    const { code, stdout, stderr } = await startRestricted(line, { env }).ended;
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('no permission');
    expect(filesIn(directory)).toEqual(['old.csv']);
    expect(readFileSync(join(directory, 'old.csv'), 'utf8')).toBe('old');
  });

  const small = temporary();
  test.skipIf(!mounts(small, 'size=64k'))('keeps the existing file if the disk fills up', async () => {
    try {
      writeFileSync(join(small, 'old.csv'), 'old');
      const { code, stderr } = await exportTo(join(small, 'old.csv'), '--overwrite');
      expect(code).toBe(2);
      expect(stderr).toContain('the disk is full');
      expect(filesIn(small)).toEqual(['old.csv']);
      expect(readFileSync(join(small, 'old.csv'), 'utf8')).toBe('old');
    } finally {
      spawnSync('umount', [small]);
    }
  });

  const fixed = temporary();
  test.skipIf(!mounts(fixed, 'ro'))('rejects a read-only file system', async () => {
    try {
      const { code, stderr } = await exportTo(join(fixed, 'x.csv'));
      expect(code).toBe(2);
      expect(stderr).toContain('read-only');
    } finally {
      spawnSync('umount', [fixed]);
    }
  });
});

/** Mounts a tmpfs, and returns whether that succeeded. Mounting requires root, and some containers forbid mounting. */
function mounts(directory: string, options: string): boolean {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]);
  if (status !== 0) process.stderr.write(`skipped: no tmpfs (${options}) can be mounted here\n`);
  return status === 0;
}

describe('an existing output file', () => {
  test('replaces the target of a link only if --overwrite is set', async () => {
    const directory = temporary();
    writeFileSync(join(directory, 'real.csv'), 'old');
    symlinkSync('real.csv', join(directory, 'link.csv'));
    expect((await exportTo(join(directory, 'link.csv'))).code).toBe(2);
    expect(readFileSync(join(directory, 'real.csv'), 'utf8')).toBe('old');
    expect((await exportTo(join(directory, 'link.csv'), '--overwrite')).code).toBe(0);
    expect(readFileSync(join(directory, 'real.csv'), 'utf8')).toMatch(/^id,transactionId,/);
    expect(filesIn(directory)).toEqual(['link.csv', 'real.csv', 'real.csv.manifest.json']);
  });

  test('keeps the existing output file if the service fails during the export', async () => {
    const directory = temporary();
    const old = join(directory, 'old.csv');
    writeFileSync(old, 'old');
    const failing = await stub((_request, response, { searchParams }) => {
      if (searchParams.get('offset'))
        sendJson(response, 403, '{"error":"forbidden","error_description":"no more"}');
      else sendJson(response, 200, page(0, 1000));
    });
    const { code } = await run(['ledgers', 'export', '--overwrite', '--out', old], { env: failing.env });
    expect(code).toBe(4);
    expect(filesIn(directory)).toEqual(['old.csv']);
    expect(readFileSync(old, 'utf8')).toBe('old');
  });
});

describe('an interrupted command', () => {
  test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'exits with 130 after %s during an export, and leaves no file',
    async (signal) => {
      const directory = temporary();
      const out = join(directory, 'x.csv');
      let reached = () => {};
      const midway = new Promise<void>((resolve) => {
        reached = resolve;
      });
      // The second page never arrives, so the export blocks midway.
      const slow = await stub((_request, response, { searchParams }) => {
        if (searchParams.get('offset')) reached();
        else sendJson(response, 200, page(0, 1000, Number(searchParams.get('limit'))));
      });
      const running = start(['ledgers', 'export', '--out', out], { env: slow.env });
      await midway;
      expect(filesIn(directory)).toHaveLength(1);
      running.child.kill(signal);
      const { code, stdout, stderr } = await running.ended;
      expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: '', stderr: 'error: Interrupted\n' });
      expect(filesIn(directory)).toEqual([]);
    },
  );

  test('with --json, reports Ctrl-C as an error object', async () => {
    let reached = () => {};
    const asking = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const silent = await stub(() => reached());
    const running = start(['ledgers', 'list', '--json'], { env: silent.env });
    await asking;
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(JSON.parse(stderr).error.code).toBe('INTERRUPTED');
  });
});

function page(offset: number, total: number, limit = 200): string {
  const rows = Array.from(
    { length: limit },
    (_, index) => `{"id":"led_${offset + index}","timestamp":${offset + index}}`,
  );
  return `{"data":[${rows}],"meta":{"total":${total},"limit":${limit},"offset":${offset}}}`;
}
