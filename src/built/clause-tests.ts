import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ID = String.raw`[a-z][\w-]*(?:\.[\w-]+)+`;
/** The end of a test title: the ids of the clauses that the test checks, as in `… [ledgers.limit, ledgers.offset]`. */
const TITLE = new RegExp(String.raw`\[(${ID}(?:, ${ID})*)\]['"\x60]`, 'g');

/**
 * Returns, for each clause id in a title of a sandbox test, the paths of the test files. The build writes them to
 * dist/clause-tests.json.
 *
 * @param root the folder of the project
 */
export function clauseTests(root: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  const files = readdirSync(join(root, 'test', 'sandbox')).filter((name) => name.endsWith('.test.ts'));
  for (const file of files.sort()) {
    const path = `test/sandbox/${file}`;
    const titles = readFileSync(join(root, path), 'utf8').matchAll(TITLE);
    for (const id of new Set([...titles].flatMap(([, list = '']) => list.split(', ')))) {
      found[id] = [...(found[id] ?? []), path];
    }
  }
  return found;
}
