import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkedPath } from '../../src/core/linked-path.ts';
import { temporary } from '../e2e/harness.ts';
import { runs } from '../runs.ts';

const NAMES = ['a', 'b', 'c'];

// The test compares with `realpathSync.native`, because `realpathSync` does not follow a link before "..", unlike the system.
test('an existing path is resolved as the operating system resolves it', async () => {
  const part = fc.constantFrom(...NAMES, '..', '.');
  const path = fc.array(part, { minLength: 1, maxLength: 4 });
  const entries = fc.array(fc.record({ at: path, to: fc.option(path), isAbsolute: fc.boolean() }), {
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(entries, path, async (tree, asked) => {
      const folder = temporary();
      const root = realpathSync(folder);
      for (const { at, to, isAbsolute } of tree) {
        const place = join(root, ...at);
        if (!place.startsWith(`${root}/`)) continue;
        try {
          if (to === null) mkdirSync(place, { recursive: true });
          else symlinkSync(isAbsolute ? `${root}/${to.join('/')}` : to.join('/'), place);
        } catch {
          // Ignore that the path already exists, or that a link has no target.
        }
      }
      const whole = join(root, ...asked);
      let real: string;
      try {
        real = realpathSync.native(whole);
      } catch {
        await linkedPath(whole); // ends, also for links in a circle
        return;
      }
      expect(await linkedPath(whole)).toBe(real);
    }),
    { numRuns: runs(400) },
  );
});

test('broken links are followed to the path of the missing file', async () => {
  const root = realpathSync(temporary());
  symlinkSync('gone', join(root, 'one'));
  symlinkSync(join(root, 'one', 'deep', '..', 'folder'), join(root, 'two'));
  expect(await linkedPath(join(root, 'two', 'x.csv'))).toBe(join(root, 'gone', 'folder', 'x.csv'));
  symlinkSync('round', join(root, 'round'));
  expect(await linkedPath(join(root, 'round', 'x.csv'))).toBe(join(root, 'round', 'x.csv'));
});
