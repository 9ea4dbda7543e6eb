import { CryptodataError, messageOf } from '../../core/errors.ts';

export interface Check {
  readonly check: string;
  /** `info` is a fact; `skipped` says in `detail` why there was nothing to check. */
  readonly state: 'ok' | 'info' | 'warning' | 'problem' | 'skipped';
  readonly detail: string;
  /** What to do; null where nothing is to be done. */
  readonly next: string | null;
}

export function found(
  check: string,
  state: Check['state'],
  detail: string,
  next: string | null = null,
): Check {
  return { check, state, detail, next };
}

/** Runs a check; what it throws is the problem. */
export async function attempt(check: string, run: () => Promise<Check>): Promise<Check> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CryptodataError && error.kind === 'interrupted') throw error;
    const hint = error instanceof CryptodataError ? error.hint : undefined;
    return found(check, 'problem', messageOf(error), hint ?? null);
  }
}
