import { headerValue } from './header.ts';

/** The API to which a request is sent. Each API has its own address. */
export type Api = 'current' | 'legacy' | 'legacyPublic';

/** Authenticates requests. See "Headers" and "Workspace binding" in the specification. */
export interface Credentials {
  /**
   * @param origin the origin to which the headers are sent
   * @throws CryptodataError if the credentials do not belong to this origin
   */
  headers(api: Api, origin: string): Promise<Readonly<Record<string, string>>>;
  /** Returns `wid` for an API key, and no parameter for a token. Called after `headers`. */
  query(api: Api): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Called after a 401 response. Returns true if later calls of `headers` will return new values. */
  refresh(): Promise<boolean>;
}

export function apiKeyCredentials(apiKey: string, workspace: string): Credentials {
  return {
    headers: async (api): Promise<Record<string, string>> =>
      api === 'legacyPublic' ? {} : { 'X-API-Key': headerValue(apiKey, 'The API key') },
    // Both APIs require `wid`: "API keys … must pass the query parameter wid".
    query: () => ({ wid: workspace }),
    refresh: async () => false,
  };
}

export interface TokenSource {
  accessToken(api: Exclude<Api, 'legacyPublic'>, origin: string): Promise<string>;
  /** Called with the token that caused a 401. Returns true if later calls of `accessToken` will return another token. */
  refresh(rejectedToken: string): Promise<boolean>;
  /** The registered client. In addition to the token, the legacy API requires the client id and the client secret. */
  client(): Promise<{ readonly id: string; readonly secret: string } | undefined>;
}

export function tokenCredentials(source: TokenSource): Credentials {
  let sent: string | undefined;
  return {
    async headers(api, origin): Promise<Record<string, string>> {
      // The public endpoint must not receive a token.
      if (api === 'legacyPublic') return {};
      sent = await source.accessToken(api, origin);
      const authorization = { Authorization: `Bearer ${headerValue(sent, 'The access token')}` };
      const client = api === 'legacy' ? await source.client() : undefined;
      if (client === undefined) return authorization;
      return {
        ...authorization,
        'X-Client-Id': headerValue(client.id, 'The client id'),
        'X-Client-Secret': headerValue(client.secret, 'The client secret', { spaces: true }),
      };
    },
    query: () => ({}),
    refresh: async () => sent !== undefined && source.refresh(sent),
  };
}
