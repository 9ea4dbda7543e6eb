import { createHash, randomBytes } from 'node:crypto';
import type { RequestRecord } from './journal.ts';
import type { TimeBounds } from './ledgers/filter.ts';
import type { Ties } from './ledgers/store.ts';

export interface SandboxOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Ledgers in the workspace: 2000 by default, 1,000,000 at most. */
  readonly rows?: number;
  /** The data is a function of `seed` and `rows` alone. */
  readonly seed?: number | string;
  /** Consents at once as the owner, without a page. */
  readonly autoConsent?: boolean;
  /** Unix milliseconds. Moving it ages codes, tokens, grants and rate limits. */
  readonly clock?: () => number;
  /** A random secret; by default 32 bytes in base64url. */
  readonly secret?: () => string;
  readonly onRequest?: (line: RequestRecord) => void;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly apiKey?: string;
  /** Whether startTime and endTime belong to the range, which the spec does not show. */
  readonly timeBounds?: TimeBounds;
  /** In which order rows of the same sort key come, which the spec does not show. */
  readonly ties?: Ties;
}

export type Settings = Required<Omit<SandboxOptions, 'onRequest' | 'seed'>> & {
  readonly seed: string;
  readonly onRequest: SandboxOptions['onRequest'] | undefined;
};

const DEFAULT_ROWS = 2000;
const MAX_ROWS = 1_000_000;

export function settle(options: SandboxOptions): Settings {
  const { rows = DEFAULT_ROWS, port = 0 } = options;
  if (!Number.isInteger(rows) || rows < 0 || rows > MAX_ROWS) {
    throw new RangeError(`rows must be a whole number from 0 to ${MAX_ROWS}`);
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new RangeError('port must be a whole number from 0 to 65535');
  }
  const secret = options.secret ?? (() => randomBytes(32).toString('base64url'));
  return {
    port,
    rows,
    secret,
    seed: String(options.seed ?? 'meridian'),
    autoConsent: options.autoConsent ?? false,
    clock: options.clock ?? Date.now,
    onRequest: options.onRequest,
    clientId: options.clientId ?? 'sandbox-client',
    clientSecret: options.clientSecret ?? secret(),
    apiKey: options.apiKey ?? `key_${secret()}`,
    timeBounds: options.timeBounds ?? 'inclusive',
    ties: options.ties ?? 'stable',
  };
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
