import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { firstWindows } from '../../src/export/engine.ts';
import { ResumeLog, readResumeLog, type Segment } from '../../src/export/resume-log.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cryptodata-log-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const frozen = {
  range: { from: 1, to: 9 },
  filled: { from: 1, to: 9 },
  total: 3,
  at: '2025-07-01',
  newest: ['a'],
};
const identity = { filters: { types: ['fee'] } };

/** Writes the files of a segment with two rows, and returns its entry in the resume log. */
function segmentOf(number: number, from: number, more: Partial<Segment> = {}): Segment {
  const text = `row ${number}\n`;
  writeFileSync(join(directory, `${number}.seg`), text);
  writeFileSync(join(directory, `${number}.ids`), '["a","b"]');
  return {
    ...{
      span: { from, to: from + 1 },
      rows: 2,
      total: 2,
      beyond: ['x'],
      strays: [],
      reads: 1,
      unchecked: ['y'],
    },
    ...{ written: 2, file: `${number}.seg`, bytes: text.length, leftOut: { more: 1 } },
    sha256: createHash('sha256').update(text).digest('hex'),
    ...more,
  };
}

async function logOf(...segments: Segment[]) {
  const log = await ResumeLog.begin(directory, { identity, frozen, segments: [] });
  for (const segment of segments) await log.add(segment);
  await log.close();
}

const kept = async () =>
  (await readResumeLog(directory))?.segments.map(({ file, span }) => [file, span?.from]);

describe('the resume log', () => {
  test('the resume log returns every entry unchanged', async () => {
    const first = segmentOf(1, 1);
    const log = await ResumeLog.begin(directory, { identity, frozen, segments: [first] });
    const list = segmentOf(2, 3, { span: undefined, total: undefined, written: 0 });
    await log.add(list);
    await log.close();
    expect(await readResumeLog(directory)).toEqual({
      ...{ identity, frozen },
      segments: [first, list].map((segment) => ({ ...segment, doubt: undefined })),
    });
    expect(readdirSync(directory)).not.toContain('resume-log.tmp');
  });

  test('readResumeLog returns undefined if the path is an empty folder, a missing folder or a file', async () => {
    expect(await readResumeLog(directory)).toBeUndefined();
    expect(await readResumeLog(join(directory, 'none'))).toBeUndefined();
    writeFileSync(join(directory, 'file'), '');
    expect(await readResumeLog(join(directory, 'file'))).toBeUndefined();
  });

  test.each([
    ['{}'],
    [JSON.stringify({ version: 2, identity, frozen })],
    [JSON.stringify({ version: 4, frozen })],
    [JSON.stringify({ version: 4, identity })],
    [JSON.stringify({ version: 4, identity, frozen: { ...frozen, at: 5 } })],
    ['not JSON'],
  ])('readResumeLog ignores a resume log whose first line is %s', async (head) => {
    writeFileSync(join(directory, 'resume-log.jsonl'), `${head}\n`);
    expect(await readResumeLog(directory)).toBeUndefined();
  });

  test('uses the last entry for each window, and ignores an incomplete last line', async () => {
    await logOf(segmentOf(1, 1), segmentOf(2, 3), segmentOf(3, 1));
    appendFileSync(join(directory, 'resume-log.jsonl'), JSON.stringify(segmentOf(4, 5)).slice(0, -5));
    expect(await kept()).toEqual([
      ['3.seg', 1],
      ['2.seg', 3],
    ]);
  });

  test('skips an unverified window, a window with a changed file, and a window with more or fewer ids than rows', async () => {
    await logOf(
      segmentOf(1, 1, { doubt: 'unsure' }),
      segmentOf(2, 3, { sha256: null }),
      segmentOf(3, 5, { rows: 3 }),
      segmentOf(4, 7, { file: null, rows: 0 }),
      segmentOf(5, 8),
    );
    expect(await kept()).toEqual([
      [null, 7],
      ['5.seg', 8],
    ]);
    writeFileSync(join(directory, '5.seg'), 'other');
    expect(await kept()).toEqual([[null, 7]]);
  });

  test.each([
    { file: '../1.seg' },
    { file: '1.ids' },
    { file: 7 },
    { rows: 'x' },
    { bytes: null },
    { reads: undefined },
    { leftOut: null },
  ])('skips an entry of the resume log with the invalid field %j', async (wrong) => {
    await logOf({ ...segmentOf(1, 1), ...(wrong as object) }, segmentOf(2, 3));
    expect(await kept()).toEqual([['2.seg', 3]]);
  });

  test('treats invalid values of optional fields in an entry of the resume log as missing', async () => {
    const odd = {
      span: { from: 1 },
      total: 'x',
      beyond: 7,
      strays: ['a', 7],
      unchecked: null,
      written: 'x',
      leftOut: { a: 'x', b: 2 },
    };
    await logOf({ ...segmentOf(1, 1), ...(odd as object) });
    const [segment] = (await readResumeLog(directory))?.segments ?? [];
    expect(segment).toMatchObject({
      ...{ span: undefined, total: undefined, beyond: [], strays: ['a'], unchecked: [], written: 2 },
      leftOut: { a: 0, b: 2 },
    });
  });
});

test('the plan of a resumed export contains the windows of the earlier run and the gaps between them', () => {
  const segment = (from: number, to: number) => ({ ...segmentOf(1, from), span: { from, to } });
  const spans = (kept: Segment[], range: { from: number; to: number } | undefined = { from: 10, to: 99 }) =>
    firstWindows({ ...frozen, range }, kept).map(({ span, count, segment }) => [
      span?.from,
      span?.to,
      count,
      segment !== undefined,
    ]);
  expect(spans([])).toEqual([[10, 99, 3, false]]);
  expect(spans([segment(50, 59), segment(10, 19)])).toEqual([
    [10, 19, 2, true],
    [20, 49, undefined, false],
    [50, 59, 2, true],
    [60, 99, undefined, false],
  ]);
  const list = firstWindows({ ...frozen, range: undefined }, []);
  expect(list).toEqual([{ span: undefined, count: 3 }]);
  const whole = { ...segmentOf(1, 1), span: undefined };
  expect(firstWindows({ ...frozen, range: undefined }, [whole])).toEqual([
    { span: undefined, count: 2, segment: whole },
  ]);
});

test('a span without a start is restored from the resume log', async () => {
  const range = { from: Number.NEGATIVE_INFINITY, to: 9 };
  const log = await ResumeLog.begin(directory, { identity, frozen: { ...frozen, range }, segments: [] });
  await log.add({ ...segmentOf(0, 1), span: range, file: null });
  await log.close();
  const read = await readResumeLog(directory);
  expect([read?.frozen.range, read?.segments[0]?.span]).toEqual([range, range]);
});
