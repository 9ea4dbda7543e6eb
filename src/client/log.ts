import { usageError } from '../core/errors.ts';
import type { Redactor } from '../core/redact.ts';
import type { AttemptEvent, Notice } from './request.ts';

/** Receives messages about requests. `console` and most logging packages have these methods. */
export interface Logger {
  error(message: string, ...rest: unknown[]): void;
  warn(message: string, ...rest: unknown[]): void;
  info(message: string, ...rest: unknown[]): void;
  debug(message: string, ...rest: unknown[]): void;
}

const LEVELS = ['off', 'error', 'warn', 'info', 'debug'] as const;
/** The level of the least important messages that a logger receives. */
export type LogLevel = (typeof LEVELS)[number];

/** @throws usage error `BAD_OPTION` for an unknown level, with or without a logger */
export function checkLevel(level: LogLevel = 'warn'): void {
  if (LEVELS.includes(level)) return;
  throw usageError(`"logLevel" must be one of ${LEVELS.join(', ')}`, undefined, 'BAD_OPTION');
}

/** Describes a finished attempt in one line. The line contains no headers. */
export function attemptLine({ method, url, status, ms, attempt, retryInMs, error }: AttemptEvent): string {
  const again = retryInMs === undefined ? '' : `, retry in ${Math.round(retryInMs)} ms`;
  const tries = attempt === 1 ? '' : `, attempt ${attempt}`;
  return `${method} ${url} ${status ?? error ?? 'no response'} ${Math.round(ms)} ms${tries}${again}`;
}

/** Writes to a logger: notices as `warn`, failed attempts as `info`, other attempts as `debug`. Secrets are masked. */
export class RequestLog {
  readonly #logger: Logger;
  readonly #most: number;
  readonly #redactor: Redactor;

  /** @throws usage error `BAD_OPTION` if a method is missing */
  constructor(logger: Logger, redactor: Redactor, level: LogLevel = 'warn') {
    const missing = LEVELS.find((one) => one !== 'off' && typeof Object(logger)[one] !== 'function');
    if (missing) throw usageError(`"logger" has no method ${missing}`, undefined, 'BAD_OPTION');
    this.#logger = logger;
    this.#redactor = redactor;
    this.#most = LEVELS.indexOf(level);
  }

  attempt(event: AttemptEvent): void {
    this.#write(event.error === undefined ? 'debug' : 'info', attemptLine(event));
  }

  notice({ message }: Notice): void {
    this.#write('warn', message);
  }

  #write(level: Exclude<LogLevel, 'off'>, text: string): void {
    if (LEVELS.indexOf(level) > this.#most) return;
    try {
      this.#logger[level](this.#redactor.redact(`cryptodata: ${text}`));
    } catch {
      // If a message cannot be logged, the call does not fail.
    }
  }
}
