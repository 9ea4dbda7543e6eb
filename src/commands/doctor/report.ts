import { CryptodataError, messageOf } from '../../core/errors.ts';

export interface DoctorCheck {
  readonly check: string;
  /** `info` means neither good nor bad. If the state is `skipped`, `detail` is the reason. */
  readonly state: 'ok' | 'info' | 'warning' | 'problem' | 'skipped';
  readonly detail: string;
  /** The command or the step that fixes the problem, or null. */
  readonly next: string | null;
}

export function found(
  check: string,
  state: DoctorCheck['state'],
  detail: string,
  next: string | null = null,
): DoctorCheck {
  return { check, state, detail, next };
}

/** Runs a check. If the check throws an error, the result is a problem. */
export async function attempt(check: string, run: () => Promise<DoctorCheck>): Promise<DoctorCheck> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CryptodataError && error.kind === 'interrupted') throw error;
    const hint = error instanceof CryptodataError ? error.hint : undefined;
    return found(check, 'problem', messageOf(error), hint ?? null);
  }
}
