// End-to-end tests and tests with many repetitions have two modes. With THOROUGH=1, as in CI, every command line runs in a
// separate process, and tests run all their repetitions. Otherwise, most command lines run in the same process as the test,
// and tests run only a twentieth of their repetitions. All tests together then take a few minutes.

export const THOROUGH = process.env['THOROUGH'] === '1';

/**
 * The number of repetitions of a test: `times` with THOROUGH=1, a twentieth of `times` otherwise.
 *
 * @param least the minimum number, for tests that also check that random cases of each kind have occurred
 */
export function runs(times: number, least = 1): number {
  return THOROUGH ? times : Math.max(least, Math.ceil(times / 20));
}

/**
 * The cases of a test: all cases with THOROUGH=1, the first `count` cases otherwise. Put cases that show different behaviour
 * first.
 */
export function cases<T>(all: readonly T[], count: number): readonly T[] {
  return THOROUGH ? all : all.slice(0, count);
}

/** The part of a matrix that one of several tests runs: everything with THOROUGH=1, every `parts`th case otherwise. */
export function share<T>(all: readonly T[], parts: number, part: number): readonly T[] {
  return THOROUGH ? all : all.filter((_, at) => at % parts === part % parts);
}
