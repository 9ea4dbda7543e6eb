import { Amount } from './amount.ts';
import { type Leg, MONEY, type MoneyName } from './leg.ts';

/** A sum of money as decimal text, with the numbers of legs with a known and with an unknown value. */
interface MoneySum {
  /** The sum; null if no value is known, or if the values are in several currencies. */
  readonly sum: string | null;
  /** Number of legs whose value is known. */
  readonly known: number;
  readonly unknown: number;
}

export type MoneySums = Readonly<Record<MoneyName, MoneySum>>;

/** Sums of the values that the service provides for legs. Amounts in different currencies are never added. */
export interface MoneyShown {
  /** The currency of the sums. Null if the currency is unknown, or if the legs have several currencies. */
  readonly baseCurrency: string | null;
  readonly figures: MoneySums;
  /** The sums of each currency if the legs have several currencies; otherwise empty. */
  readonly byCurrency: readonly { readonly baseCurrency: string; readonly figures: MoneySums }[];
}

type Amounts = Readonly<Record<MoneyName, Amount>>;

export class Money {
  /** The amounts of each currency. Legs without a currency have the key null. */
  readonly #currencies = new Map<string | null, Amounts>();

  add(leg: Leg): void {
    const own = this.#of(leg.currency);
    for (const name of MONEY) own[name].add(leg.money(name));
  }

  merge(other: Money): void {
    for (const [currency, theirs] of other.#currencies) mergeAmounts(this.#of(currency), theirs);
  }

  shown(): MoneyShown {
    const all = amounts();
    for (const own of this.#currencies.values()) mergeAmounts(all, own);
    const [first, ...others] = [...this.#currencies.keys()].filter((currency) => currency !== null).sort();
    const isMixed = others.length > 0;
    return {
      baseCurrency: isMixed ? null : (first ?? null),
      figures: sumsOf(all, isMixed),
      byCurrency: isMixed
        ? [first ?? '', ...others].map((baseCurrency) => ({
            baseCurrency,
            figures: sumsOf(this.#of(baseCurrency)),
          }))
        : [],
    };
  }

  #of(currency: string | null): Amounts {
    let own = this.#currencies.get(currency);
    if (!own) {
      own = amounts();
      this.#currencies.set(currency, own);
    }
    return own;
  }
}

function amounts(): Amounts {
  return { value: new Amount(), costbasis: new Amount(), proceeds: new Amount(), profit: new Amount() };
}

function mergeAmounts(into: Amounts, from: Amounts): void {
  for (const name of MONEY) into[name].merge(from[name]);
}

function sumsOf(own: Amounts, isMixed = false): MoneySums {
  const shown = (name: MoneyName) => ({
    sum: isMixed ? null : (own[name].part?.toFixed() ?? null),
    known: own[name].known,
    unknown: own[name].unknown,
  });
  return {
    ...{ value: shown('value'), costbasis: shown('costbasis') },
    ...{ proceeds: shown('proceeds'), profit: shown('profit') },
  };
}
