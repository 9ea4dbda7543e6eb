// Runs before each test file: files share the modules of their worker, so each file cleans up
// after itself.

import { afterAll } from 'vitest';
import { cleanUp } from './at-end.ts';

afterAll(cleanUp);
