import { type CryptodataError, createError, type ErrorKind } from '../core/errors.ts';
import { escapeHostile, plural } from '../core/text.ts';
import { isJson, type OutputFormat } from '../formats/registry.ts';

interface Failure {
  readonly profile: string;
  readonly error: CryptodataError;
  /** Number of records written before the failure. */
  readonly records: number;
}

/** Reports failures of profiles as they happen, and summarises them at the end. */
export class Failures {
  readonly #say: (text: string) => void;
  readonly #format: OutputFormat;
  readonly #all: Failure[] = [];
  /**
   * Failures that have not been reported yet. If all profiles fail in the same way and return no records, only one failure is
   * reported, at the end.
   */
  #unreported: Failure[] = [];
  #done = 0;

  constructor(say: (text: string) => void, format: OutputFormat) {
    this.#say = say;
    this.#format = format;
  }

  add(failure: Failure): void {
    this.#all.push(failure);
    this.#unreported.push(failure);
    if (this.#done > 0 || !this.#isSameFailure()) this.#report();
  }

  /** Returns why a profile failed; undefined if the profile did not fail. */
  messageOf(profile: string): string | undefined {
    return this.#all.find((failure) => failure.profile === profile)?.error.message;
  }

  /** Counts a profile as successful. */
  done(): void {
    this.#done += 1;
    this.#report();
  }

  /**
   * Returns the error of the whole command. If all profiles failed in the same way and returned no records, the error describes
   * their common failure. Otherwise, the error counts the failures and lists them in its `details`.
   */
  summary(): CryptodataError | undefined {
    const [first] = this.#all;
    if (!first) return undefined;
    const all = this.#done === 0;
    const names = this.#all.map(({ profile }) => profile).join(', ');
    if (all && this.#isSameFailure()) {
      const { kind, code, message, hint, status, details, cause } = first.error;
      return createError(kind, code, `${message} (${names})`, { hint, status, details, cause });
    }
    const kind = all ? (this.#commonKind() ?? 'partial') : 'partial';
    const message = `${this.#all.length} of ${this.#all.length + this.#done} profiles failed: ${names}`;
    return createError(kind, all ? 'ALL_PROFILES_FAILED' : 'SOME_PROFILES_FAILED', message, {
      details: this.#all.map(detail),
    });
  }

  #isSameFailure(): boolean {
    if (this.#all.some(({ records }) => records > 0)) return false;
    return new Set(this.#all.map(({ error }) => JSON.stringify([error.code, error.message]))).size <= 1;
  }

  #commonKind(): ErrorKind | undefined {
    const kinds = [...new Set(this.#all.map(({ error }) => error.kind))];
    return kinds.length === 1 ? kinds[0] : undefined;
  }

  #report(): void {
    const unreported = this.#unreported;
    this.#unreported = [];
    // With a JSON format, report nothing yet: the final error object lists all failures.
    if (isJson(this.#format)) return;
    for (const { profile, error, records } of unreported) {
      const after = records === 0 ? '' : ` (after ${plural(records, 'record', 'records')})`;
      this.#say(`${profile}: error: ${escapeHostile(error.message)}${after}`);
      if (error.hint !== undefined) this.#say(`${profile}: ${escapeHostile(error.hint)}`);
    }
  }
}

function detail({ profile, error, records }: Failure): Readonly<Record<string, unknown>> {
  const { code, message, status = null, hint = null } = error;
  return { profile, code, message, status, hint, records };
}
