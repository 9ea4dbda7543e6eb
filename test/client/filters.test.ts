import { expect, test } from 'vitest';
import { checkFilters } from '../../src/client/filters.ts';

test.each(['constructor', 'toString', '__proto__'])('the parameter %s can be sent once', (name) => {
  const extra = Object.fromEntries([[name, '1']]);
  expect(Object.entries(checkFilters({ extra }, {}))).toEqual([[name, '1']]);
});
