import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    // No test depends on speed. The limits only stop tests that hang, even on a very slow machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Load imported modules once per worker, mainly the sandbox and its libraries. This is safe, because no module keeps
    // state that another test file could see.
    isolate: false,
    // One more than the expected two processors, because a test file that waits for a child process leaves one idle.
    maxWorkers: 3,
  },
});
