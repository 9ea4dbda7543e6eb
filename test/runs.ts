// The end-to-end tests, and the tests that repeat something many times, have two modes. With THOROUGH=1, as in CI, every command
// line runs in its own process, and everything is repeated as often as the test states. Otherwise both are reduced, so that
// the tests take a few minutes.

export const THOROUGH = process.env['THOROUGH'] === '1';

/** How often to repeat a test: `times` if the tests are thorough, a quarter otherwise. */
export function runs(times: number): number {
  return THOROUGH ? times : Math.ceil(times / 4);
}
