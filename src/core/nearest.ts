import leven from 'leven';
import { showText } from './text.ts';

/** Finds the most similar candidate. Returns undefined if no candidate is similar enough for a suggestion. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let distance = Math.max(2, Math.floor(text.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate.trim() === '') continue;
    const steps = leven(text.toLowerCase(), candidate.toLowerCase());
    if (steps < distance) [best, distance] = [candidate, steps];
  }
  return best;
}

/** A value and its display names. */
export interface Named {
  readonly value: string;
  readonly names: readonly string[];
}

/** `kraken (Kraken)`. */
export function showNamed({ value, names: [name] }: Named): string {
  return showText(name === undefined || name === '' || name === value ? value : `${value} (${name})`);
}

/** Finds candidates that are similar to `text`, contain `text`, or are contained in `text`. The best match comes first. */
export function nearMatches<T extends Named>(text: string, candidates: Iterable<T>, most = 3): T[] {
  const wanted = text.toLowerCase();
  const furthest = Math.max(1, Math.floor(text.length / 3));
  const scored: { readonly candidate: T; readonly score: number }[] = [];
  for (const candidate of candidates) {
    if (showNamed(candidate).trim() === '') continue;
    const scores = [candidate.value, ...candidate.names].map((name) => distance(wanted, name.toLowerCase()));
    const score = Math.min(...scores);
    if (score <= furthest) scored.push({ candidate, score });
  }
  // If a candidate matches exactly (ignoring case), return only exact matches.
  const best = Math.min(...scored.map(({ score }) => score)) === 0 ? 0 : furthest;
  return scored
    .filter(({ score }) => score <= best)
    .sort((left, right) => left.score - right.score)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

function distance(left: string, right: string): number {
  if (isSwapped(left, right)) return 1;
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.length >= 3 && long.includes(short) ? Math.min(1, leven(left, right)) : leven(left, right);
}

/** Whether the texts differ only in two swapped adjacent letters. The Levenshtein distance counts such a swap twice. */
function isSwapped(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  const at = left.split('').findIndex((letter, index) => letter !== right[index]);
  if (at < 0) return false;
  return left === right.slice(0, at) + right.charAt(at + 1) + right.charAt(at) + right.slice(at + 2);
}
