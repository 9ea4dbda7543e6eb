import leven from 'leven';

/** Returns the most similar name; undefined if no name is similar enough to suggest. */
export function closestName(word: string, names: readonly string[]): string | undefined {
  const most = Math.max(2, Math.floor(word.length / 3));
  return names
    .filter(({ length }) => Math.max(length, word.length) <= 200 && Math.abs(length - word.length) <= most)
    .map((name) => ({ name, steps: leven(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, steps }) => steps <= most && 2 * steps <= Math.max(name.length, word.length))
    .sort((a, b) => a.steps - b.steps)[0]?.name;
}

/** Suggests the most similar name, or all names if none is similar. */
export function suggestion(word: string, names: readonly string[], all = 'use one of'): string {
  const near = closestName(word, names);
  return near === undefined ? `${all} ${names.join(', ')}` : `did you mean ${near}?`;
}
