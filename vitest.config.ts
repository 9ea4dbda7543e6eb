import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    // No test depends on speed: a limit only ends a hang, on a machine however slow.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // What a file imports (the sandbox with its libraries, above all) is loaded once for each worker: no module keeps
    // anything that another file could see.
    isolate: false,
    // One more than the processors that there may be: a file that waits for a process leaves one idle.
    maxWorkers: 3,
  },
});
