// Every clause of the service's specification that the sandbox implements.

import { AUTHORIZATION } from './authorization.ts';
import type { Clause } from './clause.ts';
import { CURRENT } from './current.ts';
import { GENERAL } from './general.ts';
import { LEGACY } from './legacy.ts';
import { OPEN } from './open.ts';

export const CLAUSES: readonly Clause[] = [...AUTHORIZATION, ...CURRENT, ...LEGACY, ...GENERAL, ...OPEN];
