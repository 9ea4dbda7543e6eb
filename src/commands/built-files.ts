import { completionTree } from './completion-tree.ts';
import { helpPages } from './help-pages.ts';
import { manPages } from './man-pages.ts';

/** The widths of the prebuilt help: the default width, and the width for pipes and wide terminals. */
const WIDTHS = [80, 100];

/** Returns the texts that the build generates from the command tree, by path in dist/. */
export async function builtFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const width of WIDTHS) {
    for (const [name, text] of await helpPages(width)) files.set(`help/${width}/${name}.txt`, text);
  }
  for (const [name, text] of await manPages()) files.set(`man/${name}`, text);
  return files.set('completions.json', JSON.stringify(await completionTree()));
}
