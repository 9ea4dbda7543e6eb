// Logs in with the OAuth 2.0 authorization code flow and PKCE, using only fetch.
import { createHash, randomBytes } from 'node:crypto';

/** Returns the address to open in the user's browser, and the values that `finishLogin` needs afterwards. */
export function beginLogin({ authUrl, clientId, redirectUri, scope }) {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return { url: `${authUrl}/oidc/auth?${query}`, state, verifier };
}

/** Takes the code from the browser's final address (`callback`), and exchanges the code for tokens. */
export function finishLogin({ authUrl, clientId, clientSecret, redirectUri }, { state, verifier }, callback) {
  const { searchParams } = new URL(callback);
  if (searchParams.get('state') !== state) throw new Error('The redirect does not belong to this login');
  const code = searchParams.get('code');
  if (code === null) throw new Error(`The login was refused: ${searchParams.get('error')}`);
  return tokenRequest(authUrl, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    client_secret: clientSecret,
    code_verifier: verifier,
  });
}

/** Returns new tokens. Store the new refresh token, because the old refresh token becomes invalid. */
export function refresh({ authUrl, clientId, clientSecret }, refreshToken) {
  return tokenRequest(authUrl, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: clientId,
    client_secret: clientSecret,
  });
}

async function tokenRequest(authUrl, form) {
  const answer = await fetch(`${authUrl}/oidc/token`, { method: 'POST', body: new URLSearchParams(form) });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`The token endpoint returned ${body.error}`);
  return body;
}
