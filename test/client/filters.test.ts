import { expect, test } from 'vitest';
import { checkFilters } from '../../src/client/filters.ts';

test.each(['constructor', 'toString', '__proto__'])('a parameter with the name %s can be sent', (name) => {
  const extra = Object.fromEntries([[name, '1']]);
  expect(Object.entries(checkFilters({ extra }, {}))).toEqual([[name, '1']]);
});
