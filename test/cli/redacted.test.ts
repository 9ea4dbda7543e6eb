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

test('redactWrites() reports a failed redactor as a bug, and shows neither the text nor the message of the failure', () => {
  const stream = new PassThrough();
  const redactor = new Redactor();
  redactor.redact = (text) => {
    throw new SyntaxError(`Invalid regular expression: /${text}/`);
  };
  redactWrites(stream, redactor);
  stream.write('error: very secret\n');
  expect(String(stream.read())).toMatch(
    /^error: This message is not shown, because masking its secrets failed \(SyntaxError\)\nThis is a bug .*\n$/,
  );
  stream.write('{"error":{"message":"very secret"}}\n');
  const { error } = JSON.parse(String(stream.read()));
  expect(error).toMatchObject({ code: 'BUG', status: null, details: null });
  expect(JSON.stringify(error)).not.toContain('very secret');
});
