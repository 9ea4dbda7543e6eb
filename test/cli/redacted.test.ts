import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { redactWrites } from '../../src/cli/writer.ts';
import { Redactor } from '../../src/core/redact.ts';

test('redactWrites() masks secrets in a stream, for every signature of write()', async () => {
  const stream = new PassThrough();
  const redactor = new Redactor();
  redactWrites(stream, redactor);
  // Most secrets are registered after the stream is wrapped.
  redactor.conceal('very secret');
  stream.write('one very secret\n');
  stream.write(Buffer.from('two very secret ✓\n'));
  await new Promise((resolve) => stream.write('three very secret\n', 'utf8', resolve));
  await new Promise((resolve) => stream.write('four very secret\n', resolve));
  expect(String(stream.read())).toBe('one ***\ntwo *** ✓\nthree ***\nfour ***\n');
});
