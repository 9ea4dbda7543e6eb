import { homedir, tmpdir } from 'node:os';
import { expect, test } from 'vitest';

test('tests run with a fixed time zone, locale and umask, and with a temporary home folder', () => {
  const { timeZone, locale } = new Intl.DateTimeFormat().resolvedOptions();
  expect({ timeZone, locale, umask: process.umask() }).toEqual({
    timeZone: 'UTC',
    locale: 'en-US',
    umask: 0o022,
  });
  expect(homedir()).toBe(tmpdir());
  expect(tmpdir()).toMatch(/^\/tmp\/cryptodata-/);
});

test('tests inherit no settings from the shell', () => {
  const known =
    /^(PATH|HOME|TMPDIR|LANG|TZ|CI|THOROUGH|UPDATE_REFERENCE|SPARK_FOLDER|(EXPORT|MIRROR|PROOF)_\w+|(TEST|VITEST|FORCE_TTY|NODE_ENV|PROD|DEV|BASE_URL|MODE|SSR)\w*|__\w+)$/;
  expect(Object.keys(process.env).filter((name) => !known.test(name))).toEqual([]);
});
