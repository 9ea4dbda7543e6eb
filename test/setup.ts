// Runs before each test file. Files share the modules of their worker, so each file must clean up after itself.

import fc from 'fast-check';
import { afterAll } from 'vitest';
import { cleanUp } from './at-end.ts';
import { runs } from './runs.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: runs(100) });

afterAll(cleanUp);
