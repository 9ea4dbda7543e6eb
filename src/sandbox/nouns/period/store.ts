// Spec: Accounting period. When a period has been filed and locked, the service rejects changes to transactions in that period.
// The specification does not define how to lock or unlock a period. In the sandbox, everything before a given time is locked.
// This time can be set with the option `lockedUntil` or with POST /_sandbox/period { lockedUntil }.

export const PERIOD_LOCKED = 'Falls in a filed, locked accounting period';

export type Period = ReturnType<typeof createPeriod>;

/** @param first the initial end of the locked period, in Unix milliseconds; null if nothing is locked */
export function createPeriod(first: number | null) {
  let until = first;
  return {
    isLocked: (timestamp: number) => until !== null && timestamp < until,
    lockedUntil: () => until,
    /** Locks everything before `moment`. Null unlocks everything. */
    lock(moment: number | null): void {
      until = moment;
    },
    reset(): void {
      until = first;
    },
  };
}
