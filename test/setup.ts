// Runs before each test file. Test files in one worker share modules, so each test file must clean up after itself.

import fc from 'fast-check';
import { afterAll } from 'vitest';
import { cleanUp } from './at-end.ts';
import { runs } from './runs.ts';

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  numRuns: runs(100),
  // The search for a smaller example of a failure can outlast the test. In this case, the smallest example found so far is
  // reported.
  interruptAfterTimeLimit: 500_000,
});

afterAll(cleanUp);
