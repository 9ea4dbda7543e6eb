import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { needs } from '../needs.ts';
import { THOROUGH } from '../runs.ts';
import { bash, temporary } from './harness.ts';

const COLUMNS = 100;

test.skipIf(!needs('script'))(
  'on a terminal of 100 columns, the demo succeeds and every line fits',
  async () => {
    const typescript = join(temporary(), 'demo');
    const demo = `stty cols ${COLUMNS} rows 50; node scripts/demo.js`;
    const { code, stdout } = await bash(`script -qec '${demo}' '${typescript}'`, {
      env: THOROUGH ? {} : { DEMO_ROWS: '600' },
    });
    expect(code, stdout).toBe(0);
    // A progress line ends with a carriage return.
    const lines = stripVTControlCharacters(readFileSync(typescript, 'utf8')).split(/[\r\n]+/);
    expect(lines.length).toBeGreaterThan(100);
    // Remove the path of this project, because its length does not matter. Also remove the first and the last line, because
    // `script` prints them.
    const shown = lines.slice(1, -2).map((line) => line.replace(/'?\/.*\/demo\//, ''));
    expect(shown.filter((line) => stringWidth(line) > COLUMNS)).toEqual([]);
  },
);
