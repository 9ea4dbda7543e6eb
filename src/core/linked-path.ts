import { readlink } from 'node:fs/promises';
import { dirname, join, parse, resolve, sep } from 'node:path';

/** Maximum number of links to follow, as in Linux. */
const MOST_LINKS = 40;

/**
 * Returns the absolute path, with all links resolved. Unlike with `realpath`, the file, its folders and the targets of links
 * need not exist.
 */
export async function linkedPath(path: string): Promise<string> {
  const whole = resolve(path);
  let at = parse(whole).root;
  const left = partsOf(whole.slice(at.length));
  for (let links = 0; ; ) {
    const part = left.shift();
    if (part === undefined) return at;
    const next = part === '..' ? dirname(at) : join(at, part);
    const link = links < MOST_LINKS ? await readlink(next).catch(() => undefined) : undefined;
    if (link === undefined) {
      at = next;
      continue;
    }
    links += 1;
    const { root } = parse(link);
    if (root !== '') at = resolve(root);
    left.unshift(...partsOf(link.slice(root.length)));
  }
}

function partsOf(path: string): string[] {
  return path.split(sep).filter((part) => part !== '' && part !== '.');
}
