import { type AuditOptions, type AuditResult, auditLegs } from '../../../src/books/audit/index.ts';
import type { JsonRecord } from '../../../src/core/json.ts';

export const HOUR = 3_600_000;

/** Creates an outgoing leg of 1 X from wallet `a`. The leg has no balances, and its transaction has no other leg. */
export function leg(id: string, more: JsonRecord = {}): JsonRecord {
  return {
    ...{ id, transactionId: `t-${id}`, timestamp: 100 * HOUR, type: 'outgoing', quantity: '1' },
    ...{ walletId: 'a', assetId: 'x', asset: { symbol: 'X' }, label: '', price: { price: 2 } },
    ...more,
  };
}

/** Sorts the legs by time and audits them. */
export function audit(
  legs: readonly JsonRecord[],
  options: Partial<AuditOptions> = {},
): Promise<AuditResult> {
  const sorted = [...legs].sort((left, right) => Number(left['timestamp']) - Number(right['timestamp']));
  return auditLegs(sorted, { fromStart: true, ...options });
}

/** Returns the findings of one check. */
export async function findings(check: string, legs: readonly JsonRecord[], options?: Partial<AuditOptions>) {
  return (await audit(legs, options)).findings.filter((finding) => finding.check === check);
}
