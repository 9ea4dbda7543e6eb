import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Short files with long tests, mostly because they start many processes. */
const LONG = /docs-|events-|kill|processes|sessions|crash|resume|keyring|types|package|examples/;

/** Runs long files first, so that no long file starts when the other workers have no more work. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId.split('/test/').at(-1) ?? '');
    return (await super.sort(files)).sort((left, right) => Number(isLong(right)) - Number(isLong(left)));
  }
}

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
    sequence: { sequencer: LongFirst },
  },
});
