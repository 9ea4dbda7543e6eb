import { callerOf } from '../client/caller.ts';
import type { ServiceClient } from '../client/client.ts';
import { type ClientOptions, connectClient } from '../client/create.ts';
import type { CallOptions } from '../client/options.ts';
import { parseAddress } from '../core/address.ts';
import { once } from '../core/once.ts';
import { Redactor } from '../core/redact.ts';
import type { ExportOrigin } from './export.ts';
import type { ExportParams, NegativeParams, NegativeResult, VerifiedExport } from './types.ts';

/** The typed client of the service. */
export interface Client extends ServiceClient {
  /**
   * Exports ledgers to a file and verifies that no row is missing. Equivalent to `cryptodata ledgers export`. The file appears
   * when the export is complete. The request and the checks are recorded in a manifest next to the file.
   *
   * @throws UnverifiedError if the service's totals do not confirm the written file
   * @throws UsageError `FILE_EXISTS` or `UNFINISHED_EXPORT`
   * @throws OutputError if the file cannot be written
   */
  exportLedgers(params: ExportParams, options?: CallOptions): Promise<VerifiedExport>;
  /**
   * Finds when and why running balances went below zero. Equivalent to `cryptodata ledgers negative`.
   *
   * @throws UnverifiedError if ledgers changed during the read
   */
  negative(params?: NegativeParams, options?: CallOptions): Promise<NegativeResult>;
}

/**
 * Creates a client for a program. The client does not use the settings or the session of the command line. Only method calls
 * send requests. The environment variables `HTTPS_PROXY` and `NO_PROXY` set the proxy.
 *
 * @throws UsageError for invalid addresses or credentials
 */
export function createClient(options: ClientOptions = {}): Client {
  const redactor = new Redactor();
  return clientOf(connectClient(options, { redactor }), redactor, async () => {
    const { baseUrl = '', workspace } = options;
    const address = baseUrl && parseAddress(baseUrl, 'baseUrl');
    return { profile: null, address, workspace: workspace ?? (await workspaceOf(options)) };
  });
}

/** Adds exports and calculations to a client. */
export function clientOf(
  client: ServiceClient,
  redactor: Redactor,
  describeBooks: () => Promise<ExportOrigin>,
): Client {
  const books = once(describeBooks);
  return {
    ...client,
    exportLedgers: (params, call = {}) =>
      callerOf(redactor, async () =>
        (await import('./export.ts')).exportLedgers(client, books, params, call),
      ),
    negative: (params = {}, call = {}) =>
      callerOf(redactor, async () => (await import('./negative.ts')).findNegative(client, params, call)),
  };
}

/** The workspace id from the access token; null if the id is unknown. */
async function workspaceOf({ accessToken, getAccessToken }: ClientOptions): Promise<string | null> {
  const token = accessToken ?? (await getAccessToken?.({ refresh: false }));
  if (token === undefined) return null;
  const { readAccessTokenClaims } = await import('../auth/claims.ts');
  return readAccessTokenClaims(token).workspaceId;
}
