import { CryptodataError, type ErrorKind } from '../core/errors.ts';
import { escapeHostile } from '../core/text.ts';
import { isJson, type OutputFormat } from '../formats/registry.ts';

export interface Failure {
  readonly profile: string;
  readonly error: CryptodataError;
  /** Records that were printed before it failed. */
  readonly records: number;
}

/** The failures of a command that runs for several profiles: reported as they happen, and summed up at the end. */
export class Failures {
  readonly #say: (text: string) => void;
  readonly #format: OutputFormat;
  readonly #all: Failure[] = [];
  /** Held back while all profiles fail the same way without records: that is one failure, reported at the end. */
  #unreported: Failure[] = [];
  #done = 0;

  constructor(say: (text: string) => void, format: OutputFormat) {
    this.#say = say;
    this.#format = format;
  }

  add(failure: Failure): void {
    this.#all.push(failure);
    this.#unreported.push(failure);
    if (this.#done > 0 || !this.#isSame()) this.#reportAll();
  }

  /** Another profile succeeded. */
  done(): void {
    this.#done += 1;
    this.#reportAll();
  }

  /**
   * The final error: the common one if all profiles failed the same way without records; else the number of failures, with
   * details of each.
   */
  summary(): CryptodataError | undefined {
    const [first] = this.#all;
    if (!first) return undefined;
    const all = this.#done === 0;
    const names = this.#all.map(({ profile }) => profile).join(', ');
    if (all && this.#isSame()) {
      const { kind, code, message, hint, status, details, cause } = first.error;
      return new CryptodataError(kind, code, `${message} (${names})`, { hint, status, details, cause });
    }
    const kind = all ? (this.#commonKind() ?? 'partial') : 'partial';
    const message = `${this.#all.length} of ${this.#all.length + this.#done} profiles failed: ${names}`;
    return new CryptodataError(kind, all ? 'ALL_PROFILES_FAILED' : 'SOME_PROFILES_FAILED', message, {
      details: this.#all.map(detail),
    });
  }

  #isSame(): boolean {
    if (this.#all.some(({ records }) => records > 0)) return false;
    return new Set(this.#all.map(({ error }) => JSON.stringify([error.code, error.message]))).size <= 1;
  }

  #commonKind(): ErrorKind | undefined {
    const kinds = [...new Set(this.#all.map(({ error }) => error.kind))];
    return kinds.length === 1 ? kinds[0] : undefined;
  }

  #reportAll(): void {
    const unreported = this.#unreported;
    this.#unreported = [];
    // With JSON, all failures are in the final error.
    if (isJson(this.#format)) return;
    for (const { profile, error, records } of unreported) {
      const after =
        records === 0
          ? ''
          : ` (after ${records.toLocaleString('en')} ${records === 1 ? 'record' : 'records'})`;
      this.#say(`${profile}: error: ${escapeHostile(error.message)}${after}`);
      if (error.hint !== undefined) this.#say(`${profile}: ${escapeHostile(error.hint)}`);
    }
  }
}

function detail({ profile, error, records }: Failure): Readonly<Record<string, unknown>> {
  const { code, message, status = null, hint = null } = error;
  return { profile, code, message, status, hint, records };
}
