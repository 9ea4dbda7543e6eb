import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { TREE } from '../../src/commands/tree.ts';
import { needs } from '../needs.ts';

// Checks the pages in dist/man as groff renders them. The build writes one page for each command.

const FOLDER = fileURLToPath(new URL('../../dist/man/', import.meta.url));

/** @param width the width of the terminal, in characters */
function render(page: string, width = 80): { readonly text: string; readonly warnings: string } {
  const done = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-P-cbou', `-rLL=${width}n`, FOLDER + page], {
    encoding: 'utf8',
  });
  return { text: done.stdout, warnings: done.stderr };
}

describe.skipIf(!needs('groff'))('the manual pages', () => {
  test.each(readdirSync(FOLDER))('%s renders without a warning and contains every section', (page) => {
    const { text, warnings } = render(page);
    expect(warnings).toBe('');
    for (const heading of ['NAME', 'SYNOPSIS', 'EXIT STATUS', 'SEE ALSO']) {
      expect(text).toMatch(new RegExp(`^${heading}$`, 'm'));
    }
  });

  test.each(TREE.map(({ name }) => name))(
    'cryptodata-%s.1 contains each example and each flag',
    async (name) => {
      const noun = await TREE.find((lazy) => lazy.name === name)?.load();
      const { text } = render(`cryptodata-${name}.1`, 2000);
      for (const verb of noun?.verbs ?? []) {
        for (const { line } of verb.examples) expect(text).toContain(line);
        for (const { written } of Object.values(verb.flags)) expect(text).toContain(written);
        for (const { written } of verb.operands ?? []) expect(text).toContain(written);
      }
    },
  );

  test('cryptodata.1 refers to the page of each command', () => {
    const { text } = render('cryptodata.1', 2000);
    for (const { name } of TREE) expect(text).toContain(`cryptodata-${name}(1)`);
  });

  test('cryptodata.1 contains the summary, the environment variables and the exit codes', () => {
    const { text } = render('cryptodata.1');
    expect(text).toMatch(/^ +cryptodata - export and check crypto portfolio/m);
    expect(text).toMatch(/^ +CRYPTODATA_ACCESS_TOKEN$/m);
    expect(text).toMatch(/^ +10 +a check found something/m);
  });
});

test('manual pages contain only ASCII', () => {
  for (const page of readdirSync(FOLDER)) {
    expect(readFileSync(FOLDER + page, 'utf8')).toMatch(/^[\n\x20-\x7e]*$/);
  }
});
