import leven from 'leven';
import { NotFoundError } from './errors.ts';
import { showText } from './text.ts';

/** Finds the most similar candidate. Returns undefined if no candidate is similar enough for a suggestion. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let furthest = text.length < 5 ? 1 : Math.max(2, Math.floor(text.length / 3));
  for (const candidate of candidates) {
    if (candidate.trim() === '') continue;
    const steps = distance(text.toLowerCase(), candidate.toLowerCase(), furthest);
    if (steps <= furthest) [best, furthest] = [candidate, steps - 1];
  }
  return best;
}

/** Suggests the most similar candidate. If no candidate is similar, returns `otherwise`. */
export function didYouMean<T>(text: string, candidates: Iterable<string>, otherwise: T): string | T {
  const near = nearest(text, candidates);
  return near === undefined ? otherwise : `Did you mean ${near}?`;
}

/**
 * The error for an operand that is not a known name.
 *
 * @param what the kind of name, such as `error code`
 * @param otherwise the hint if no known name is similar
 */
export function unknownOperand(
  code: string,
  what: string,
  given: string,
  known: Iterable<string>,
  otherwise: string,
): NotFoundError {
  const hint = didYouMean(given, known, otherwise);
  return new NotFoundError(code, `Unknown ${what} ${JSON.stringify(given)}`, { hint });
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

/** Finds candidates that are similar to `text`, contain `text`, or are contained in `text`. Returns the three best matches, the best one first. */
export function nearMatches<T extends Named>(text: string, candidates: Iterable<T>): T[] {
  const wanted = text.toLowerCase();
  const furthest = Math.max(1, Math.floor(text.length / 3));
  const scored: { readonly candidate: T; readonly score: number }[] = [];
  for (const candidate of candidates) {
    if (showNamed(candidate).trim() === '') continue;
    const scores = [candidate.value, ...candidate.names].map((given) => {
      const name = given.toLowerCase();
      return name !== wanted && contains(wanted, name) ? 1 : distance(wanted, name, furthest);
    });
    const score = Math.min(...scores);
    if (score <= furthest) scored.push({ candidate, score });
  }
  // If a candidate matches exactly (ignoring case), return only exact matches.
  const best = Math.min(...scored.map(({ score }) => score)) === 0 ? 0 : furthest;
  return scored
    .filter(({ score }) => score <= best)
    .sort((left, right) => left.score - right.score)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** Longer texts have no near match, because comparing two long texts takes seconds. */
const LONGEST = 200;

/** Returns the number of differences, or infinity if the texts differ by more than `furthest`, or in every letter. */
function distance(left: string, right: string, furthest: number): number {
  const longer = Math.max(left.length, right.length);
  if (left === right) return 0;
  if (longer > LONGEST || Math.abs(left.length - right.length) > furthest) return Number.POSITIVE_INFINITY;
  const steps = isSwapped(left, right) ? 1 : leven(left, right);
  return steps < longer ? steps : Number.POSITIVE_INFINITY;
}

function contains(left: string, right: string): boolean {
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.length >= 3 && long.includes(short);
}

/** Whether the texts differ only in two swapped adjacent letters. The Levenshtein distance counts such a swap twice. */
function isSwapped(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  const at = left.split('').findIndex((letter, index) => letter !== right[index]);
  if (at < 0) return false;
  return left === right.slice(0, at) + right.charAt(at + 1) + right.charAt(at) + right.slice(at + 2);
}
