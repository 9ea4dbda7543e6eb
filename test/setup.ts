// Runs before each test file. Files share the modules of their worker, so each file must clean up after itself.

import { afterAll } from 'vitest';
import { cleanUp } from './at-end.ts';

afterAll(cleanUp);
