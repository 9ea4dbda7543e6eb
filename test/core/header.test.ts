import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headerValue } from '../../src/core/header.ts';

test('accepts exactly the secrets that an HTTP header can contain unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 4 }), (secret) => {
      const isVisible = /^[\x20-\x7e]+$/.test(secret) && secret.trim() === secret;
      const accepts = (check: () => string) => {
        try {
          return check() === secret;
        } catch (error) {
          expect(error).toMatchObject({ code: 'BAD_CREDENTIALS' });
          return false;
        }
      };
      expect(accepts(() => headerValue(secret, 'The client secret', { spaces: true }))).toBe(isVisible);
      // A token has no spaces.
      expect(accepts(() => headerValue(secret, 'The token'))).toBe(isVisible && !secret.includes(' '));
    }),
    { examples: [['a b'], [' a'], ['a '], ['a\n'], [''], ['é']] },
  );
});
