import { ClientSecretPost, introspectionRequest } from 'oauth4webapi';
import { CryptodataError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import type { AuthHost } from './host.ts';
import { requireClientSecret } from './secrets.ts';
import { parseAnswer } from './send.ts';
import { formOptions, registration } from './server.ts';

/**
 * `POST {auth_url}/oidc/token/introspection`: what the service says of an access token. The specification shows
 * neither request nor answer: the request is that of RFC 7662, the answer is given as it comes.
 */
export async function introspect(host: AuthHost, accessToken: string): Promise<JsonRecord> {
  const { as, client } = registration(host);
  const auth = ClientSecretPost(await requireClientSecret(host));
  const response = await introspectionRequest(
    as,
    client,
    auth,
    accessToken,
    formOptions(host, { interruptible: true }),
  );
  const { status } = response;
  const body = parseAnswer(as.introspection_endpoint, { status, text: await response.text() });
  if (response.ok && isRecord(body)) return body;
  throw new CryptodataError(
    'service',
    'BAD_INTROSPECTION',
    `${as.introspection_endpoint} gave an answer that cannot be used (HTTP ${response.status})`,
    { status: response.status, hint: 'Check auth_url: cryptodata config list.' },
  );
}
