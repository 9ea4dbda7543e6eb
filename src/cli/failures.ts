import { CryptodataError, type ErrorKind } from '../core/errors.ts';
import { escapeHostile } from '../core/text.ts';
import { isJson, type OutputFormat } from '../formats/registry.ts';

export interface Failure {
  readonly profile: string;
  readonly error: CryptodataError;
  /** Records that were given before it failed. */
  readonly records: number;
}

/** What failed where a command is run over several profiles: told as it happens, and summed up at the end. */
export class Failures {
  readonly #say: (text: string) => void;
  readonly #format: OutputFormat;
  readonly #all: Failure[] = [];
  /** Held back as long as every profile has failed alike and gave nothing: then it is one failure, told once, at the end. */
  #untold: Failure[] = [];
  #done = 0;

  constructor(say: (text: string) => void, format: OutputFormat) {
    this.#say = say;
    this.#format = format;
  }

  add(failure: Failure): void {
    this.#all.push(failure);
    this.#untold.push(failure);
    if (this.#done > 0 || !this.#one()) this.#tellAll();
  }

  /** Another profile has come to a good end. */
  done(): void {
    this.#done += 1;
    this.#tellAll();
  }

  /**
   * The error to end with: that of the profiles where all failed alike and gave nothing, with its exit code; else what
   * became of how many, and in its details how many records each gave before.
   */
  summary(): CryptodataError | undefined {
    const [first] = this.#all;
    if (!first) return undefined;
    const all = this.#done === 0;
    const names = this.#all.map(({ profile }) => profile).join(', ');
    if (all && this.#one()) {
      const { kind, code, message, hint, status, details, cause } = first.error;
      return new CryptodataError(kind, code, `${message} (${names})`, { hint, status, details, cause });
    }
    const kind = all ? (this.#commonKind() ?? 'partial') : 'partial';
    const message = `${this.#all.length} of ${this.#all.length + this.#done} profiles failed: ${names}`;
    return new CryptodataError(kind, all ? 'ALL_PROFILES_FAILED' : 'SOME_PROFILES_FAILED', message, {
      details: this.#all.map(detail),
    });
  }

  #one(): boolean {
    if (this.#all.some(({ records }) => records > 0)) return false;
    return new Set(this.#all.map(({ error }) => JSON.stringify([error.code, error.message]))).size <= 1;
  }

  #commonKind(): ErrorKind | undefined {
    const kinds = [...new Set(this.#all.map(({ error }) => error.kind))];
    return kinds.length === 1 ? kinds[0] : undefined;
  }

  #tellAll(): void {
    const untold = this.#untold;
    this.#untold = [];
    // Where errors are JSON, all are in the one at the end.
    if (isJson(this.#format)) return;
    for (const { profile, error, records } of untold) {
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
