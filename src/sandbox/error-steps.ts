// The steps by which an error is reached, as data and in words.

/** One request. `{name}` in it stands for what an earlier step kept, or for clientId, clientSecret, workspaceId. */
export interface ErrorStep {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** What the request carries: the access token of the environment unless it says otherwise. */
  readonly credential?: 'token' | 'api-key' | 'none' | 'other-token';
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  /** Names and sizes in bytes of the files of a multipart body. */
  readonly files?: readonly (readonly [name: string, size: number])[];
  /** Keeps what stands at a dotted path of the answer, under a name. */
  readonly keep?: readonly [name: string, path: string];
  /** A login in the browser: parameters of /oidc/auth that differ from a right one, and the answer on the page. */
  readonly login?: { readonly changed?: Readonly<Record<string, string>>; readonly deny?: true };
}

export interface Recipe {
  /** oauth: shape 1. wrapped: shape 2. nested: shape 3. oidc: the authorization server. */
  readonly shape: 'oauth' | 'wrapped' | 'nested' | 'legacy' | 'oidc';
  readonly code: string;
  /** Null where the spec does not show it. */
  readonly status: number | null;
  /** As the spec gives it. */
  readonly cause: string;
  readonly steps: readonly ErrorStep[];
  /** The option of createSandbox that it takes. */
  readonly option?: Readonly<Record<string, unknown>>;
}

export interface ErrorEntry extends Recipe {
  /** The steps in words. */
  readonly how: string;
}

const CREDENTIALS = {
  token: '',
  'api-key': ' with X-API-Key',
  none: ' without a credential',
  'other-token': ' with a token that is none',
} as const;

export function inWords({ steps, option }: Recipe): string {
  const words = steps.map(stepInWords).join('; then ');
  const [given] = Object.entries(option ?? {});
  return given === undefined
    ? words
    : `${words} (createSandbox({ ${given[0]}: ${JSON.stringify(given[1])} }))`;
}

function stepInWords({
  method,
  path,
  credential = 'token',
  json: body,
  form,
  files,
  keep,
  login,
}: ErrorStep): string {
  if (login?.deny) return 'log in, and answer Deny on the consent page';
  if (login?.changed)
    return `log in with ${Object.entries(login.changed).map(([name, value]) => `${name}=${value}`)}`;
  // A form carries the client's own credentials, a control endpoint needs none.
  const own = form !== undefined || path.startsWith('/_sandbox/');
  const parts = [
    `${method} ${path}`,
    own ? '' : CREDENTIALS[credential],
    body === undefined ? '' : ` ${JSON.stringify(body)}`,
    form === undefined ? '' : ` ${new URLSearchParams(form)}`.replaceAll('%7B', '{').replaceAll('%7D', '}'),
    files === undefined ? '' : ` with ${filesInWords(files)}`,
    keep === undefined ? '' : `, whose ${keep[1]} is {${keep[0]}}`,
  ];
  return parts.join('');
}

function filesInWords(files: NonNullable<ErrorStep['files']>): string {
  const [first] = files;
  if (first === undefined) return 'no file';
  const [name, size] = first;
  const bytes = `${size} ${size === 1 ? 'byte' : 'bytes'}`;
  return files.length === 1 ? `the file ${name} of ${bytes}` : `${files.length} files of ${bytes}`;
}
