import { ClientSecretPost, revocationRequest } from 'oauth4webapi';
import { CryptodataError, messageOf } from '../core/errors.ts';
import type { AuthHost } from './host.ts';
import { formOptions, type Registration } from './server.ts';

export interface Revocation {
  /** Whether the service took the token back. */
  readonly revoked: boolean;
  /** Why not. */
  readonly reason?: string;
}

/** Asks the service to take a token back. That it does not is no error, and neither is Ctrl-C: what is local goes on. */
export async function revoke(
  host: AuthHost,
  to: Registration,
  clientSecret: string,
  token: string,
): Promise<Revocation> {
  try {
    const auth = ClientSecretPost(clientSecret);
    const response = await revocationRequest(
      to.as,
      to.client,
      auth,
      token,
      formOptions(host, { interruptible: true }),
    );
    // The specification does not show the answer: any success will do.
    return response.ok ? { revoked: true } : { revoked: false, reason: `HTTP ${response.status}` };
  } catch (error) {
    return { revoked: false, reason: error instanceof CryptodataError ? error.message : messageOf(error) };
  }
}
