import { accountingFields } from '../../api/ledgers.ts';
import type { Exact } from '../../core/decimal.ts';
import { count } from '../../core/text.ts';
import { addsUp, figureOf } from '../figure.ts';
import type { CheckName, Draft } from './finding.ts';
import { type AuditLeg, valueAtPrice } from './leg.ts';

type Figure = (typeof accountingFields)[number];

/** Number and total quantity of the legs with the same problem. */
interface Tally {
  readonly first: AuditLeg;
  legs: number;
  quantity: Exact | null;
}

/**
 * Runs the checks `missing-price`, `missing-asset`, `unfinished-accounting`, `profit` and `half-posted` on the legs in the
 * period. Memory grows with the number of assets, and with the number of legs that share a timestamp.
 */
export class FigureChecks {
  readonly #report: (draft: Draft) => void;
  readonly #legsOf = new Map<string, number>();
  readonly #unpriced = new Map<string, Tally>();
  readonly #unresolved = new Map<string, Tally>();
  readonly #symbols = new Map<string, Map<string, AuditLeg>>();
  /** For each type of leg, the fields that have a value in at least one leg. */
  readonly #known = new Map<string, Set<Figure>>();
  readonly #unfinished = new Map<
    string,
    Tally & { readonly missing: readonly Figure[]; readonly type: string }
  >();
  #moment: AuditLeg[] = [];
  #hasCodes = false;

  constructor(report: (draft: Draft) => void) {
    this.#report = report;
  }

  /** Whether any leg has an account code. Without a chart of accounts in the workspace, no leg has an account code. */
  get hasCodes(): boolean {
    return this.#hasCodes;
  }

  /** Whether any leg has a cost basis, proceeds or profit. Only tax processing sets these values. */
  get hasAccounting(): boolean {
    return [...this.#known.values()].some(({ size }) => size > 0);
  }

  add(leg: AuditLeg): void {
    if (!leg.inPeriod) return;
    this.#legsOf.set(leg.asset, (this.#legsOf.get(leg.asset) ?? 0) + 1);
    const { assetId, price } = leg.record;
    if (assetId === null) tally(this.#unresolved, leg.symbol, leg);
    else if (price === null) tally(this.#unpriced, leg.asset, leg);
    if (typeof assetId === 'string' && leg.symbol !== '') {
      const ids = this.#symbols.get(leg.symbol);
      if (!ids) this.#symbols.set(leg.symbol, new Map([[assetId, leg]]));
      else if (!ids.has(assetId)) ids.set(assetId, leg);
    }
    this.#checkAccounting(leg);
    if (this.#moment[0] && this.#moment[0].time !== leg.time) this.#checkPosting();
    this.#moment.push(leg);
  }

  finish(): void {
    this.#checkPosting();
    for (const { first, legs, quantity } of this.#unpriced.values()) {
      const all = this.#legsOf.get(first.asset) ?? legs;
      this.#sum(
        'missing-price',
        first,
        legs,
        quantity,
        `${count(legs)} of ${count(all)} legs of ${first.symbol} have no price (${amountOf(quantity, first)} in total). Their value and profit are unknown.`,
      );
    }
    for (const { first, legs, quantity } of this.#unresolved.values()) {
      this.#sum(
        'missing-asset',
        first,
        legs,
        quantity,
        `${count(legs)} ${legs === 1 ? 'leg' : 'legs'} of ${first.symbol || 'an asset without a symbol'} ${legs === 1 ? 'has' : 'have'} no resolved asset.`,
      );
    }
    for (const [symbol, ids] of this.#symbols) if (ids.size > 1) this.#reportSymbol(symbol, ids);
    for (const { first, legs, quantity, missing, type } of this.#unfinished.values()) {
      const figures = missing.filter((figure) => this.#known.get(type)?.has(figure));
      if (figures.length === 0) continue;
      this.#sum(
        'unfinished-accounting',
        first,
        legs,
        quantity,
        `${legs === 1 ? `1 ${type} leg of ${first.symbol} lacks` : `${count(legs)} ${type} legs of ${first.symbol} lack`} ${figures.map((figure) => `"${figure}"`).join(', ')}. Other ${type} legs in the period have ${figures.length === 1 ? 'this value' : 'these values'}. Tax processing may not have finished.`,
        type,
      );
    }
  }

  #sum(
    check: CheckName,
    first: AuditLeg,
    legs: number,
    quantity: Exact | null,
    message: string,
    part = '',
  ): void {
    this.#report({
      check,
      severity: 'warning',
      key: [first.asset, part],
      // Omit the wallet, because the finding concerns every wallet with this asset.
      pair: { ...first.pair, walletId: '' },
      leg: first,
      legs,
      amount: first.isNameless ? null : (quantity?.toFixed() ?? null),
      value: valueAtPrice(quantity, first),
      message,
      inPeriod: true,
    });
  }

  #reportSymbol(symbol: string, ids: ReadonlyMap<string, AuditLeg>): void {
    const [first] = ids.values();
    if (!first) return;
    this.#report({
      check: 'missing-asset',
      severity: 'info',
      key: ['symbol', symbol],
      pair: { walletId: '', assetId: null, symbol },
      leg: first,
      legs: [...ids.keys()].reduce((sum, id) => sum + (this.#legsOf.get(id) ?? 0), 0),
      message: `${symbol} is the symbol of ${ids.size} assets: ${[...ids.keys()].sort().join(', ')}. Check that none of these assets is an imitation.`,
      inPeriod: true,
    });
  }

  #checkAccounting(leg: AuditLeg): void {
    const { record, type } = leg;
    let known = this.#known.get(type);
    if (!known) {
      known = new Set();
      this.#known.set(type, known);
    }
    const missing: Figure[] = [];
    for (const figure of accountingFields) {
      if ((record[figure] ?? null) === null) missing.push(figure);
      else known.add(figure);
    }
    if (missing.length > 0) {
      const key = `${type} ${missing.join()} ${leg.asset}`;
      const others = this.#unfinished.get(key);
      if (others) grow(others, leg);
      else this.#unfinished.set(key, { first: leg, legs: 1, quantity: leg.quantity, missing, type });
      return;
    }
    if (addsUp(record['costbasis'], record['profit'], record['proceeds']) === false) this.#reportProfit(leg);
  }

  #reportProfit(leg: AuditLeg): void {
    const [costbasis, proceeds, profit] = accountingFields.map((figure) => figureOf(leg.record[figure]));
    if (!costbasis || !proceeds || !profit) return;
    const expected = proceeds.minus(costbasis);
    this.#report({
      check: 'profit',
      severity: 'error',
      key: [leg.id],
      pair: leg.pair,
      leg,
      legs: 1,
      expected: expected.toFixed(),
      actual: profit.toFixed(),
      value: { amount: profit.minus(expected).abs(), currency: leg.currency },
      message: `Proceeds ${proceeds.toFixed()} minus cost basis ${costbasis.toFixed()} equals ${expected.toFixed()}, but the profit is ${profit.toFixed()}.`,
      inPeriod: true,
    });
  }

  /** Checks the account codes of all legs with the current timestamp. All legs of a transaction have the same timestamp. */
  #checkPosting(): void {
    const moment = this.#moment;
    this.#moment = [];
    if (moment.every(isCoded)) {
      if (moment.length > 0) this.#hasCodes = true;
      return;
    }
    const transactions = new Map<string, AuditLeg[]>();
    for (const leg of moment) {
      const legs = transactions.get(leg.transactionId);
      if (legs) legs.push(leg);
      else transactions.set(leg.transactionId, [leg]);
    }
    for (const legs of transactions.values()) {
      const coded = legs.filter((leg) => hasCode(leg, 'debitCoaCode') || hasCode(leg, 'creditCoaCode'));
      if (coded.length > 0) this.#hasCodes = true;
      for (const leg of coded) this.#checkCodes(leg);
      const [without] = legs.filter((leg) => !coded.includes(leg)).sort((a, b) => (a.id < b.id ? -1 : 1));
      if (coded.length === 0 || !without) continue;
      this.#posting(
        without,
        [without.transactionId],
        `Only ${count(coded.length)} of ${count(legs.length)} legs of the transaction have account codes.`,
      );
    }
  }

  #checkCodes(leg: AuditLeg): void {
    const [debit, credit] = [hasCode(leg, 'debitCoaCode'), hasCode(leg, 'creditCoaCode')];
    if (debit === credit) return;
    const [has, lacks] = debit ? ['debit', 'credit'] : ['credit', 'debit'];
    this.#posting(leg, [leg.id], `The leg has a ${has} account code, but no ${lacks} account code.`);
  }

  #posting(leg: AuditLeg, key: readonly string[], message: string): void {
    const parts = { check: 'half-posted', severity: 'warning', pair: leg.pair, leg, legs: 1 } as const;
    this.#report({ ...parts, key, message, inPeriod: true });
  }
}

function isCoded({ record: { debitCoaCode, creditCoaCode } }: AuditLeg): boolean {
  return (debitCoaCode ?? '') !== '' && (creditCoaCode ?? '') !== '';
}

function hasCode(leg: AuditLeg, name: 'debitCoaCode' | 'creditCoaCode'): boolean {
  return (leg.record[name] ?? '') !== '';
}

function tally(tallies: Map<string, Tally>, key: string, leg: AuditLeg): void {
  const known = tallies.get(key);
  if (known) grow(known, leg);
  else tallies.set(key, { first: leg, legs: 1, quantity: leg.quantity });
}

function grow(known: Tally, leg: AuditLeg): void {
  known.legs += 1;
  known.quantity =
    known.quantity === null || leg.quantity === null ? null : known.quantity.plus(leg.quantity);
}

function amountOf(quantity: Exact | null, leg: AuditLeg): string {
  return quantity === null ? `an unknown quantity of ${leg.symbol}` : `${quantity.toFixed()} ${leg.symbol}`;
}
