import { File } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { multipart } from '../../src/client/plan.ts';
import type { FormPart } from '../../src/client/request.ts';
import { runs } from '../runs.ts';

async function gathered(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

const name = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !/[\r\n"]/.test(text));
const parts = fc.array(
  fc.oneof(
    fc.record({ name, value: fc.string({ unit: 'grapheme' }) }),
    fc
      .record({ name, filename: name, bytes: fc.uint8Array({ maxLength: 3000 }) })
      .map(({ name, filename, bytes }) => ({
        name,
        file: new File([bytes], filename, { type: 'text/csv' }),
      })),
  ),
  { minLength: 1, maxLength: 6 },
);

test('a form has the same encoding each time, and Node decodes every byte unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(parts, async (given: readonly FormPart[]) => {
      const { contentType, length, body } = multipart(given);
      const bytes = await gathered(body);
      expect(bytes).toHaveLength(length);
      expect(await gathered(body)).toEqual(bytes);
      const headers = { 'content-type': contentType };
      const read = [...(await new Response(new Uint8Array(bytes), { headers }).formData())];
      expect(read).toHaveLength(given.length);
      for (const [at, part] of given.entries()) {
        const [name, value] = read[at] ?? [];
        expect(name).toBe(part.name);
        if ('value' in part) expect(value).toBe(part.value);
        else {
          if (typeof value !== 'object') throw new Error('no file');
          expect(value.name).toBe(part.file.name);
          expect(value.type).toBe('text/csv');
          expect(Buffer.from(await value.arrayBuffer())).toEqual(Buffer.from(await part.file.arrayBuffer()));
        }
      }
    }),
    { numRuns: runs(60) },
  );
});

test('escapes line breaks and quotes in field and file names', async () => {
  const evil = 'a"\r\nX-Evil: 1\n';
  const { body } = multipart([
    { name: evil, value: 'v' },
    { name: 'f', file: new File(['x'], evil) },
  ]);
  const text = (await gathered(body)).toString();
  expect(text).toContain('name="a%22%0D%0AX-Evil: 1%0A"\r\n');
  expect(text).toContain('filename="a%22%0D%0AX-Evil: 1%0A"\r\n');
  expect(text).not.toMatch(/^X-Evil/m);
});
