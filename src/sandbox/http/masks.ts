// Masks secrets for the sandbox page and the request log. Responses to clients are not masked.

export const HIDDEN_TEXT = '***';

/** Returns the text to show instead of a secret, given the name of the secret. */
export type Masked = (name: string) => string;

const masked: Masked = () => HIDDEN_TEXT;

/** Query and form parameters that contain secrets. */
const PARAMETERS = [
  'access_token',
  'refresh_token',
  'id_token',
  'token',
  'code',
  'client_secret',
  'code_verifier',
];
const FIELDS = [
  ...PARAMETERS.filter((name) => name !== 'code'),
  ...[
    'authorization',
    'password',
    'passphrase',
    'secret',
    'key',
    'apiKey',
    'api_key',
    'apiSecret',
    'api_secret',
  ],
  ...['secretKey', 'secret_key', 'privateKey', 'private_key', 'accessToken', 'refreshToken', 'clientSecret'],
];

const isSecret = new Set(PARAMETERS);
const IN_QUERY = new RegExp(`(^|[?&#])(${PARAMETERS.join('|')})=([^&#\\s]+)`, 'gi');
/** The closing quote is optional, because a truncated body may end within a value. */
const IN_JSON = new RegExp(`("(${FIELDS.join('|')})"\\s*:\\s*")((?:[^"\\\\]|\\\\.?)+)`, 'gi');
const TOKENS = /\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g;

export function isSecretParameter(name: string): boolean {
  return isSecret.has(name.toLowerCase());
}

/** Masks secrets in an address, a query or a form. */
export function maskQuery(text: string, show: Masked = masked): string {
  const shown = text.replace(IN_QUERY, (_, before: string, name: string) => `${before}${name}=${show(name)}`);
  return shown.replace(TOKENS, () => show('token'));
}

export function maskJson(text: string, show: Masked = masked): string {
  const shown = text.replace(IN_JSON, (_, before: string, name: string) => `${before}${show(name)}`);
  return shown.replace(TOKENS, () => show('token'));
}

const HEADERS = new Set(['x-api-key', 'x-client-secret', 'cookie', 'proxy-authorization']);

/** Masks secrets in a header. The scheme in `authorization` stays visible, and so does the cookie name in `set-cookie`. */
export function maskHeader(name: string, value: string, show: Masked = masked): string {
  const header = name.toLowerCase();
  if (header === 'authorization') return value.replace(/^(\S+\s+)?.*$/s, `$1${show('token')}`);
  if (HEADERS.has(header)) return show(header.replace(/^x-/, ''));
  if (header === 'set-cookie') return value.replace(/=[^;]*/, `=${HIDDEN_TEXT}`);
  return maskQuery(value, show);
}
