import leven from 'leven';

/** The candidate that was most likely meant, if one is near enough to say so. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let distance = Math.max(2, Math.floor(text.length / 3)) + 1;
  for (const candidate of candidates) {
    const steps = leven(text.toLowerCase(), candidate.toLowerCase());
    if (steps < distance) [best, distance] = [candidate, steps];
  }
  return best;
}
