// Runs before each test file: files share the modules of their worker, so that what one of them leaves is nobody
// else's to clear away.

import { afterAll } from 'vitest';
import { cleanUp } from './at-end.ts';

afterAll(cleanUp);
