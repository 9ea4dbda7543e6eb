import type { Pair } from '../books/asset.ts';
import type { LegFaults } from '../books/faults.ts';
import { type Note, warning } from '../cli/outcome.ts';

/**
 * Warns about legs with fields that do not match the specification. Every command that computes a result from legs prints this
 * note.
 */
export function faultNotes(faults: LegFaults | undefined, isChosen?: (pair: Pair) => boolean): Note[] {
  const text = faults?.text(isChosen);
  return text === undefined ? [] : [warning(text)];
}
