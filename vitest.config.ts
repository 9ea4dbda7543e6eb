import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/surroundings.ts'],
    setupFiles: ['test/setup.ts'],
    // No test depends on speed. The limits stop tests that hang, and are long enough for a very slow machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    // Load each module only once per worker, because loading the sandbox and its libraries is slow. No module keeps state that
    // another test file could see.
    isolate: false,
    // Four workers keep two processors busy, even while some of the workers wait for child processes or timers.
    maxWorkers: 4,
  },
});
