import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cases, runs } from '../runs.ts';
import { bash, run, sandboxed, start, temporary } from './harness.ts';

const { env } = await sandboxed({ rows: 300 });

describe('several exports to one file at the same time', () => {
  test.each([
    ['ledgers', 'x.csv', []],
    ['ledgers', 'x.csv', ['--overwrite']],
    ['txns', 'x.csv', []],
    ['ledgers', 'x', ['--partition-by', 'year']],
  ])(
    'at least one of three exports of %s to %s with the flags %j succeeds, and the others report why they failed',
    async (noun, name, flags) => {
      for (let round = 0; round < runs(4); round += 1) {
        const directory = temporary();
        const args = [noun, 'export', '--out', join(directory, name), ...flags];
        const ended = await Promise.all([0, 1, 2].map(() => start(args, { env }).ended));
        const failed = ended.filter(({ code }) => code !== 0);
        expect(failed.length).toBeLessThan(3);
        for (const { code, stderr } of failed) {
          expect(code, stderr).toBe(2);
          expect(stderr).toMatch(/Another export is writing|already exists/);
        }
        expect(readdirSync(directory)).toEqual([name, `${name}.manifest.json`]);
        const verified = await run(['ledgers', 'verify', join(directory, name), '--offline'], { env });
        expect(verified.code, verified.stderr).toBe(0);
      }
    },
  );
});

describe('an export with a low limit of open files', () => {
  test.each(cases([18, 24, 20, 22], 2))(
    'an export with a low limit of open files succeeds or reports that the limit is reached (limit: %i)',
    async (limit) => {
      for (const noun of ['ledgers', 'txns']) {
        const directory = temporary();
        const out = join(directory, 'x.csv');
        const line = `ulimit -n ${limit}; cryptodata ${noun} export --out '${out}'`;
        const { code, stderr } = await bash(line, { env });
        if (code === 0) {
          expect(readdirSync(directory)).toEqual(['x.csv', 'x.csv.manifest.json']);
          continue;
        }
        expect(code, stderr).toBe(2);
        expect(stderr).toContain('reached its limit of open files');
        expect(readdirSync(directory)).toEqual([]);
      }
    },
  );
});

test('if a data set is overwritten through a link, its manifest is next to the target of the link', async () => {
  const directory = temporary();
  const [real, link] = [join(directory, 'real'), join(directory, 'link')];
  const args = ['ledgers', 'export', '--partition-by', 'year', '--out'];
  expect((await run([...args, real, '--period', '2024'], { env })).code).toBe(0);
  const old = readFileSync(`${real}.manifest.json`, 'utf8');
  await bash(`ln -s real '${link}'`);
  expect((await run([...args, link, '--overwrite'], { env })).code).toBe(0);
  expect(readdirSync(directory)).toEqual(['link', 'real', 'real.manifest.json']);
  expect(readFileSync(`${real}.manifest.json`, 'utf8')).not.toBe(old);
  for (const path of [real, link]) {
    const { code, stderr } = await run(['ledgers', 'verify', path, '--offline'], { env });
    expect(code, stderr).toBe(0);
  }
});

test.each([
  ['a file', '.csv', []],
  ['a data set', '', ['--partition-by', 'year']],
])(
  'an export to %s fails before the first request if the name of the manifest would be too long',
  async (_, end, flags) => {
    const directory = temporary();
    const lengths = cases([242, 241, 226], 2);
    for (const length of lengths) {
      const out = join(directory, `${'x'.repeat(length - end.length)}${end}`);
      const { code, stderr } = await run(['ledgers', 'export', '--out', out, ...flags], {
        env: length > 241 ? { ...env, CRYPTODATA_BASE_URL: 'http://127.0.0.1:9' } : env,
      });
      if (length <= 241) expect(code, stderr).toBe(0);
      else {
        expect(code).toBe(2);
        expect(stderr).toContain('the name is too long');
      }
    }
    expect(readdirSync(directory)).toHaveLength(2 * (lengths.length - 1));
  },
);
