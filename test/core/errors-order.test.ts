import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exits.ts';
import { createError, type ErrorKind, gravestFirst } from '../../src/core/errors.ts';

const KINDS = Object.keys(EXIT_CODES) as ErrorKind[];

test('errors are sorted so that unverified results come after all other errors, and partial failures last', () => {
  const order = (kind: ErrorKind) => ['unverified', 'partial'].indexOf(kind);
  fc.assert(
    fc.property(fc.array(fc.option(fc.constantFrom(...KINDS), { nil: undefined })), (kinds) => {
      const sorted = gravestFirst(kinds.map((kind) => kind && createError(kind, 'CODE', 'message')));
      const orders = sorted.map(({ kind }) => order(kind));
      expect(orders).toEqual([...orders].sort((left, right) => left - right));
      expect(sorted).toHaveLength(kinds.filter((kind) => kind !== undefined).length);
    }),
  );
});
