// Runs before each test file. Test files in the same worker share modules, so each file must clean up after itself.

import fc from 'fast-check';
import { afterAll } from 'vitest';
import { cleanUp } from './at-end.ts';
import { runs } from './runs.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: runs(100) });

afterAll(cleanUp);
