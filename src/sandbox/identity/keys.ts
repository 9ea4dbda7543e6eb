import { type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose';

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
