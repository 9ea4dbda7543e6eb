import type { Redactor } from './redact.ts';
import { isSecretName } from './secret-names.ts';

/** Help texts for the environment variables that contain secrets. */
export const SECRETS = {
  CRYPTODATA_ACCESS_TOKEN: 'Access token to use instead of a login, for example in CI',
  CRYPTODATA_API_KEY: 'Enterprise API key; needs CRYPTODATA_WORKSPACE',
  CRYPTODATA_CLIENT_SECRET: 'Secret of the registered client',
  CRYPTODATA_PASSPHRASE: 'Passphrase of the secrets file (used if keychain is set to file)',
};

export const SECRET_VARIABLES: readonly string[] = Object.keys(SECRETS);

/** Whether `CI` is set to a value other than `false`, `no` or `0`. */
export function isCi(env: NodeJS.ProcessEnv): boolean {
  return !['', '0', 'false', 'no'].includes((env['CI'] ?? '').toLowerCase());
}

/** Finds the secrets in environment variables, including passwords in proxy addresses, and passes them to the redactor. */
export function concealEnvironment(env: NodeJS.ProcessEnv, redactor: Redactor): void {
  for (const name of SECRET_VARIABLES) redactor.conceal(env[name]);
  for (const [name, value = ''] of Object.entries(env)) {
    if (!/^(?:https?|all)_proxy$/i.test(name)) continue;
    const [, user = '', password = ''] =
      /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^:]*):(.*)@/is.exec(value.trim()) ?? [];
    if (password !== '') for (const part of [password, `${user}:${password}`]) concealEncoded(part, redactor);
  }
}

/**
 * Masks secrets in arguments. No command accepts a token, a client secret or an API key as an argument, because other users can
 * see arguments. But a user may pass a secret by mistake.
 */
export function concealArguments(argv: readonly string[], redactor: Redactor): void {
  for (const [at, word] of argv.entries()) {
    const [, dashes = '', name = '', value] = /^(--?)?([\w.-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const isNamed = value !== undefined || dashes !== '' || argv[at - 1] === 'set';
    if (!isNamed || !(isSecretName(name) || (dashes !== '' && SECRET_FLAG.test(name)))) continue;
    const next = argv[at + 1];
    if (value !== undefined) redactor.conceal(value);
    else if (next !== undefined && !OPTION.test(next)) redactor.conceal(next);
  }
}

/**
 * Names of flags whose values may be secrets. Matches more names than `isSecretName`, but no flag of the tool that takes a
 * value has such a name.
 */
const SECRET_FLAG = /(?:^|[-_])(?:token|key|secret|pass|pwd)$/i;

/** Matches a flag, but not a secret that starts with a dash. */
const OPTION = /^-[A-Za-z]$|^--[a-z]+(?:-[a-z]+)*(?:=|$)/;

/** Conceals credentials in both forms: percent-encoded as in the address, and decoded as in the request to the proxy. */
function concealEncoded(text: string, redactor: Redactor): void {
  redactor.conceal(text);
  try {
    redactor.conceal(decodeURIComponent(text));
  } catch {
    // not percent-encoded
  }
}

/**
 * Variables that child processes require. Such a variable is kept: its value can contain the text of a secret only by chance.
 */
const REQUIRED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_\w+|TERM|TZ|TMPDIR|TEMP|TMP|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_\w+|\w+_PROXY|SystemRoot|windir|SystemDrive|ComSpec|PATHEXT|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES.*|USERPROFILE|USERNAME|HOMEDRIVE|HOMEPATH)$/i;

/** Removes secrets from the environment, also from variables with other names (`MY_TOKEN=$CRYPTODATA_ACCESS_TOKEN`). */
export function environmentWithoutSecrets(env: NodeJS.ProcessEnv, redactor?: Redactor): NodeJS.ProcessEnv {
  const harmless = Object.entries(env).filter(
    ([name, value]) =>
      !SECRET_VARIABLES.includes(name.toUpperCase()) &&
      (REQUIRED.test(name) || !redactor?.holds(value ?? '')),
  );
  return Object.fromEntries(harmless);
}
