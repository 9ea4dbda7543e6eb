import { describe, expect, test } from 'vitest';
import { LosslessNumber } from '../../src/core/json.ts';
import { recordName } from '../../src/formats/record-file.ts';
import { type TextForm, textFile } from '../../src/formats/text-file.ts';

const FORM: TextForm = {
  ...{ head: '[\n', row: ({ id }) => `,\n${id}`, separatorLength: 2, tail: '\n]\n', empty: '[]\n' },
};

async function written(ids: readonly string[], form = FORM): Promise<string[]> {
  const writes: string[] = [];
  const file = textFile({ write: async (bytes) => void writes.push(Buffer.from(bytes).toString()) }, form);
  for (const id of ids) await file.add({ id });
  await file.finish();
  return writes;
}

describe('a text file', () => {
  test('a text file has separators only between rows, and contains [] if there are no rows', async () => {
    expect((await written([])).join('')).toBe('[]\n');
    expect((await written(['a'])).join('')).toBe('[\na\n]\n');
    expect((await written(['a', 'b'])).join('')).toBe('[\na,\nb\n]\n');
  });

  test('a text file with 10,000 rows is written in fewer than 10 writes, and each row is written once', async () => {
    const ids = Array.from({ length: 10_000 }, (_, at) => `${at}`.padStart(100, '0'));
    const writes = await written(ids);
    expect(writes.join('')).toBe(`[\n${ids.join(',\n')}\n]\n`);
    expect(writes.length).toBeGreaterThan(2);
    expect(writes.length).toBeLessThan(10);
  });
});

test.each([
  [{ id: 'a"' }, '"a\\""'],
  [{ id: 7 }, '7'],
  [{ id: new LosslessNumber('12345678901234567890') }, '12345678901234567890'],
  [{ id: null }, 'number 3'],
  [{}, 'number 3'],
])('if the third record is %j, recordName returns %s', (record, name) => {
  expect(recordName(record, 2)).toBe(name);
});
