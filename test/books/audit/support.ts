import type { CheckName } from '../../../src/books/audit/checks/index.ts';
import { type AuditOptions, type AuditResult, auditLegs } from '../../../src/books/audit/index.ts';
import { Scope, type ScopeParts } from '../../../src/books/scope.ts';
import type { JsonRecord } from '../../../src/core/json.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Later than every leg of the tests. */
export const NOW = Date.UTC(2040, 0, 1);

export type Options = Partial<AuditOptions & ScopeParts>;

/** Creates an outgoing leg of 1 X from wallet `a`. The leg has no balances, and its transaction has no other leg. */
export function leg(id: string, more: JsonRecord = {}): JsonRecord {
  return {
    ...{ id, transactionId: `t-${id}`, timestamp: 100 * HOUR, type: 'outgoing', quantity: '1' },
    ...{ walletId: 'a', assetId: 'x', asset: { symbol: 'X' }, label: '', price: { price: 2 } },
    ...{ baseCurrency: 'USD', ...more },
  };
}

export interface Part {
  readonly before?: unknown;
  readonly after?: unknown;
  readonly [name: string]: unknown;
}

/** Creates payments of 1 X from wallet `w`, a day apart, with the balances `before` and `after`. */
export function payments(...parts: readonly Part[]): JsonRecord[] {
  return parts.map(({ before, after, ...more }, at) =>
    leg(`l${at + 1}`, {
      ...{ transactionId: `t${at + 1}`, timestamp: (at + 1) * DAY, walletId: 'w', assetId: 'a' },
      ...{ label: 'Payment', costbasis: '1', proceeds: '2', profit: '1' },
      ...{ beforeBalance: before, afterBalance: after, ...more },
    }),
  );
}

/** The first leg of books without faults. */
export const START = { type: 'incoming', quantity: '10', before: '0', after: '10' };

/** Sorts legs by time, legs without a time last. Legs with the same time keep their order. */
export function byTime(legs: readonly JsonRecord[]): JsonRecord[] {
  const time = ({ timestamp }: JsonRecord) =>
    typeof timestamp === 'number' ? timestamp : Number.MAX_SAFE_INTEGER;
  return [...legs].sort((left, right) => time(left) - time(right));
}

/** Sorts the legs by time and audits them. */
export function audit(legs: readonly JsonRecord[], options: Options = {}): Promise<AuditResult> {
  return auditLegs(byTime(legs), { scope: new Scope({ now: NOW, ...options }), ...options });
}

/** Returns the open findings of one check. */
export async function findings(check: CheckName, legs: readonly JsonRecord[], options?: Options) {
  return (await audit(legs, options)).findings.filter((finding) => finding.check === check);
}

/** Returns the result of one check. */
export async function resultOf(check: CheckName, legs: readonly JsonRecord[], options?: Options) {
  return (await audit(legs, options)).checks.find((result) => result.check === check);
}
