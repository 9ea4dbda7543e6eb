// Every clause of the service's specification that the sandbox implements.

import { ACCOUNT_FIELDS } from './account-fields.ts';
import { BOOK_FIELDS } from './book-fields.ts';
import type { Clause } from './clause.ts';
import { ENDPOINT_CLAUSES } from './endpoints.ts';
import { ERROR_CLAUSES } from './errors.ts';
import { EVENTS } from './events.ts';
import { IDENTITY } from './identity.ts';
import { IDENTITY_FIELDS } from './identity-fields.ts';
import { LEGACY } from './legacy.ts';
import { LEGACY_FIELDS } from './legacy-fields.ts';
import { LIMITS } from './limits.ts';
import { NOT_SHOWN } from './not-shown.ts';
import { SILENT_CLAUSES } from './silent.ts';
import { STATES } from './states.ts';
import { VERSIONING } from './versioning.ts';

export const CLAUSES: readonly Clause[] = [
  ...IDENTITY,
  ...IDENTITY_FIELDS,
  ...ENDPOINT_CLAUSES,
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
  ...SILENT_CLAUSES,
];
