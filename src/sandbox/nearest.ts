import leven from 'leven';

/** The name that was most likely meant, where one is near enough to say so. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const most = Math.max(2, Math.floor(word.length / 3));
  return names
    .map((name) => ({ name, steps: leven(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ steps }) => steps <= most)
    .sort((a, b) => a.steps - b.steps)[0]?.name;
}
