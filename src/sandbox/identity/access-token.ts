// oidc-provider keeps access tokens that are usable at its own endpoints as opaque values. The service's are JWTs
// (spec: Token response), so the opaque value travels as the `jti` of a signed JWT: signed on the way out, and taken
// out again wherever a token is presented. Whether the token still lives is asked of the library each time, so
// that a revoked one stops working at once.

import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { findMember, type Member } from './members.ts';

const LIFETIME = 86_400;
/** Tokens whose signature was found good: a client sends the same one with each request. */
const KEPT = 1000;

interface TokenToSign {
  readonly opaque: string;
  readonly member: Member;
  readonly scope: string;
  readonly clientId: string;
  /** Unix seconds of the sandbox's clock, as introspection tells them. */
  readonly issuedAt: number;
}

export interface AccessTokens {
  sign(token: TokenToSign): Promise<string>;
  /** The opaque value inside, or undefined when the signature or the expiry does not hold. */
  open(jwt: string): Promise<string | undefined>;
}

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

/** Whose token it is, and for which workspace: what the claims given with it say. */
export function bearerOf(
  token: { accountId: string; extra?: object | undefined } | undefined,
): Member | undefined {
  const { extra = {}, accountId = '' } = token ?? {};
  const workspaceId = 'workspaceId' in extra ? extra.workspaceId : undefined;
  return typeof workspaceId === 'string' ? findMember(accountId, workspaceId) : undefined;
}

export function createAccessTokens(issuer: string, key: SigningKey, clock: () => number): AccessTokens {
  const audience = new URL(issuer).origin;
  const good = new Map<string, JWTPayload>();

  async function verify(jwt: string): Promise<JWTPayload> {
    const { payload } = await jwtVerify(jwt, key.publicKey, {
      issuer,
      audience,
      algorithms: [key.alg],
      typ: 'at+jwt',
      currentDate: new Date(clock()),
    });
    if (good.size >= KEPT) good.clear();
    good.set(jwt, payload);
    return payload;
  }

  return {
    sign({ opaque, member, scope, clientId, issuedAt }) {
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
    async open(jwt) {
      try {
        const known = good.get(jwt);
        // What may change about a token that was good once is the time.
        if (known !== undefined && Math.floor(clock() / 1000) >= (known.exp ?? 0)) return undefined;
        return (known ?? (await verify(jwt))).jti;
      } catch {
        return undefined;
      }
    },
  };
}

/** One signing key a sandbox, made at start: a token of one sandbox is worth nothing at another. */
export interface SigningKey {
  readonly alg: 'ES256';
  readonly kid: string;
  readonly privateJwk: JWK;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

export async function createSigningKey(kid: string): Promise<SigningKey> {
  const alg = 'ES256';
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const privateJwk = { ...(await exportJWK(privateKey)), alg, use: 'sig', kid };
  return { alg, kid, privateJwk, privateKey, publicKey };
}
