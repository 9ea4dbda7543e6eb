// Every clause of the service's specification that the sandbox holds to, and the tests that carry it.

import { ACCOUNT_FIELDS } from './account-fields.ts';
import { BOOK_FIELDS } from './book-fields.ts';
import { CARRIED } from './carried.ts';
import type { Clause } from './clause.ts';
import { ENDPOINTS } from './endpoints.ts';
import { ERROR_CLAUSES } from './errors.ts';
import { EVENTS } from './events.ts';
import { IDENTITY } from './identity.ts';
import { IDENTITY_FIELDS } from './identity-fields.ts';
import { LEGACY } from './legacy.ts';
import { LEGACY_FIELDS } from './legacy-fields.ts';
import { LIMITS } from './limits.ts';
import { NOT_SHOWN } from './not-shown.ts';
import { STATES } from './states.ts';
import { VERSIONING } from './versioning.ts';

export { type Clause, KINDS, type Kind } from './clause.ts';

export const CLAUSES: readonly Clause[] = [
  ...IDENTITY,
  ...IDENTITY_FIELDS,
  ...ENDPOINTS,
  ...ACCOUNT_FIELDS,
  ...BOOK_FIELDS,
  ...LEGACY,
  ...LEGACY_FIELDS,
  ...STATES,
  ...EVENTS,
  ...ERROR_CLAUSES,
  ...LIMITS,
  ...VERSIONING,
  ...NOT_SHOWN,
];

/** The files of tests whose titles carry the clause. */
export function testsOf({ id }: Clause): readonly string[] {
  const names = CARRIED[id] ?? '';
  return names === '' ? [] : names.split(' ').map((name) => `test/sandbox/${name}.test.ts`);
}
