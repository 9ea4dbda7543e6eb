// The library oidc-provider issues opaque access tokens, but the specification requires JWTs. The sandbox therefore signs a JWT
// whose `jti` is the opaque token. Each request looks up the opaque token in the library, so a revoked token stops working
// immediately.

import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { findMember, type Member } from './members.ts';

const LIFETIME = 86_400;
/** Maximum number of verified tokens in the cache. A client sends the same token with each request, so most lookups succeed. */
const MAX_VERIFIED = 1000;

interface TokenToSign {
  readonly opaque: string;
  readonly member: Member;
  readonly scope: string;
  readonly clientId: string;
  /** Unix seconds (sandbox's clock). Introspection also returns this time. */
  readonly issuedAt: number;
}

export type AccessTokens = ReturnType<typeof createAccessTokens>;

/** Spec: Access token claims (beyond standard OIDC claims). */
export function workspaceClaims({ role, workspace }: Member): Record<string, string> {
  const { id, name, type, plan } = workspace;
  return {
    workspaceId: id,
    workspaceName: name,
    workspaceType: type,
    role,
    ...(plan === undefined ? {} : { plan }),
  };
}

/** Finds the member to whom a token was issued, by the account id and the workspace id in the token. */
export function bearerOf(
  token: { accountId: string; extra?: object | undefined } | undefined,
): Member | undefined {
  const { extra = {}, accountId = '' } = token ?? {};
  const workspaceId = 'workspaceId' in extra ? extra.workspaceId : undefined;
  return typeof workspaceId === 'string' ? findMember(accountId, workspaceId) : undefined;
}

export function createAccessTokens(issuer: string, key: SigningKey, clock: () => number) {
  const audience = new URL(issuer).origin;
  const verified = new Map<string, JWTPayload>();

  async function verify(jwt: string): Promise<JWTPayload> {
    const { payload } = await jwtVerify(jwt, key.publicKey, {
      issuer,
      audience,
      algorithms: [key.alg],
      typ: 'at+jwt',
      currentDate: new Date(clock()),
    });
    if (verified.size >= MAX_VERIFIED) verified.clear();
    verified.set(jwt, payload);
    return payload;
  }

  return {
    sign({ opaque, member, scope, clientId, issuedAt }: TokenToSign): Promise<string> {
      return new SignJWT({ ...workspaceClaims(member), scope, client_id: clientId })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(member.uid)
        .setJti(opaque)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + LIFETIME)
        .sign(key.privateKey);
    },
    /** Returns the opaque token in the JWT; undefined if the signature is invalid or the token has expired. */
    async open(jwt: string): Promise<string | undefined> {
      try {
        const known = verified.get(jwt);
        // The signature of a cached token is valid, so check only the expiry.
        if (known !== undefined && Math.floor(clock() / 1000) >= (known.exp ?? 0)) return undefined;
        return (known ?? (await verify(jwt))).jti;
      } catch {
        return undefined;
      }
    },
  };
}

export type SigningKey = Awaited<ReturnType<typeof createSigningKey>>;

/** Each sandbox creates its own signing key, so a sandbox rejects the tokens of other sandboxes. */
export async function createSigningKey(kid: string) {
  const alg = 'ES256' as const;
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const privateJwk = { ...(await exportJWK(privateKey)), alg, use: 'sig', kid };
  return { alg, kid, privateJwk, privateKey, publicKey };
}

/** The claims of a bearer token, not verified; undefined if the token is not a JWT. */
export function tokenClaims(authorization: string | undefined): JWTPayload | undefined {
  try {
    return decodeJwt(authorization ?? '');
  } catch {
    return undefined;
  }
}
