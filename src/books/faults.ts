import type { JsonRecord } from '../core/json.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { count, plural, showText } from '../core/text.ts';
import { type Pair, PairMap } from './asset.ts';
import type { Fault, Leg } from './leg.ts';

/**
 * For each fault, `words` completes a phrase such as `3 legs without an id`. If `field` is set, the fault is counted only if
 * the source of the legs has this field.
 */
const FAULTS: ReadonlyMap<Fault, { readonly words: string; readonly field?: string }> = new Map([
  ['no-id', { words: 'without an id', field: 'id' }],
  ['no-wallet', { words: 'without a wallet', field: 'walletId' }],
  ['no-time', { words: 'without a readable time', field: 'timestamp' }],
  ['odd-time', { words: 'with a time that is not a whole number of Unix milliseconds' }],
  ['type', { words: 'neither incoming nor outgoing nor a fee', field: 'type' }],
  ['quantity', { words: 'with a quantity that is missing or not a decimal string', field: 'quantity' }],
  ['negative-quantity', { words: 'with a negative quantity' }],
  ['json-number', { words: 'with a JSON number instead of a decimal string, which may have lost digits' }],
  ['balance', { words: 'with a balance that is not a decimal string' }],
  ['money', { words: 'with a price, value, cost basis, proceeds or profit that cannot be read' }],
  ['price-currency', { words: 'with a price that is not in the currency of the leg' }],
  ['value', { words: 'with a value that is not the quantity times the price' }],
]);

/** Maximum number of ids and of types to name. */
const MOST_NAMED = 3;
const MOST_TYPES = 5;

/** A fault, and the ids of the first legs that have it. */
export interface FaultCount extends JsonRecord {
  readonly fault: Fault;
  readonly legs: number;
  readonly ledgerIds: readonly string[];
}

/** The faults of the legs of one wallet and asset. */
interface PairFaults {
  readonly pair: Pair;
  legs: number;
  readonly types: Set<string>;
  readonly found: Map<Fault, { legs: number; readonly ids: string[] }>;
}

/**
 * Counts the legs with fields that do not match the specification. Every command that reads legs prints the same sentence about
 * these legs. Memory grows with the number of wallets and assets that have such legs.
 */
export class LegFaults {
  #pairs = faultsByPair();

  /** @param has whether the source of the leg has a field */
  add(leg: Leg, has: (field: string) => boolean = () => true): void {
    const all = leg.faults;
    if (all.length === 0) return;
    const faults = all.filter((fault) => {
      const field = FAULTS.get(fault)?.field;
      return field === undefined || has(field);
    });
    if (faults.length === 0) return;
    const own = this.#pairs.of(leg);
    own.legs += 1;
    for (const fault of faults) {
      const found = own.found.get(fault) ?? { legs: 0, ids: [] };
      own.found.set(fault, found);
      found.legs += 1;
      if (leg.id !== '' && found.ids.length < MOST_NAMED) found.ids.push(leg.id);
      if (fault === 'type' && own.types.size <= MOST_TYPES) own.types.add(leg.type);
    }
  }

  /**
   * Adds a leg if it is in the period. Also adds a leg whose time is not in milliseconds, because such a time is outside every
   * period.
   */
  addWithin(period: OpenSpan, leg: Leg): void {
    if (leg.hasOtherUnit || isWithin(leg.time, period)) this.add(leg);
  }

  clear(): void {
    this.#pairs = faultsByPair();
  }

  counts(isChosen: (pair: Pair) => boolean = () => true): FaultCount[] {
    const all = this.#chosen(isChosen);
    return [...FAULTS.keys()].flatMap((fault) => {
      const found = all.flatMap((own) => own.found.get(fault) ?? []);
      if (found.length === 0) return [];
      const legs = found.reduce((sum, one) => sum + one.legs, 0);
      return { fault, legs, ledgerIds: found.flatMap(({ ids }) => ids).slice(0, MOST_NAMED) };
    });
  }

  /**
   * Returns text such as `2 legs are not as specified: 2 with a negative quantity (l1, l2). …`; undefined if no leg has a
   * fault.
   */
  text(isChosen?: (pair: Pair) => boolean): string | undefined {
    const all = this.#chosen(isChosen);
    const legs = all.reduce((sum, own) => sum + own.legs, 0);
    if (legs === 0) return undefined;
    const parts = this.counts(isChosen).map(({ fault, legs, ledgerIds }) => {
      const types = fault === 'type' ? `: ${typesOf(all)}` : '';
      const ids = ledgerIds.map((id) => showText(id));
      const more = legs > ids.length ? ['…'] : [];
      const named = ids.length === 0 ? '' : ` (${[...ids, ...more].join(', ')})`;
      return `${count(legs)} ${FAULTS.get(fault)?.words}${types}${named}`;
    });
    return `${plural(legs, 'leg is', 'legs are')} not as specified: ${parts.join('; ')}. Unreadable values count as unknown; all other values are used as served.`;
  }

  #chosen(isChosen: (pair: Pair) => boolean = () => true): PairFaults[] {
    return this.#pairs.all.filter(({ pair }) => isChosen(pair));
  }
}

function faultsByPair(): PairMap<PairFaults> {
  return new PairMap((_, { walletId, assetId, symbol }) => ({
    ...{ pair: { walletId, assetId, symbol }, legs: 0, types: new Set(), found: new Map() },
  }));
}

function typesOf(all: readonly PairFaults[]): string {
  const types = [...new Set(all.flatMap((own) => [...own.types]))].sort();
  const shown = types.slice(0, MOST_TYPES).map((type) => showText(type || 'no type'));
  return [...shown, ...(types.length > MOST_TYPES ? ['…'] : [])].join(', ');
}
