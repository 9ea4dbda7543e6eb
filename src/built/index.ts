import { clauseTests } from './clause-tests.ts';
import { completionTree } from './completion-tree.ts';
import { helpPages } from './help-pages.ts';
import { manPages } from './man-pages.ts';

/** The widths of the prebuilt help: the default width, and the width for pipes and wide terminals. */
const WIDTHS = [80, 100];

/**
 * Returns the texts that the build generates, by path in dist/.
 *
 * @param root the folder of the project
 */
export async function builtFiles(root: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const width of WIDTHS) {
    for (const [name, text] of await helpPages(width)) files.set(`help/${width}/${name}.txt`, text);
  }
  for (const [name, text] of await manPages()) files.set(`man/${name}`, text);
  files.set('clause-tests.json', JSON.stringify(clauseTests(root)));
  return files.set('completions.json', JSON.stringify(await completionTree()));
}
