import type { Redactor } from './redact.ts';
import { isSecretName } from './secret-names.ts';

/** Environment variables that hold secrets, and their meanings. */
export const SECRETS = {
  CRYPTODATA_ACCESS_TOKEN: 'Access token to use instead of a login, for example in CI',
  CRYPTODATA_API_KEY: 'Enterprise API key; needs CRYPTODATA_WORKSPACE',
  CRYPTODATA_CLIENT_SECRET: 'Secret of the registered client',
  CRYPTODATA_PASSPHRASE: 'Passphrase of the secrets file (keychain: file)',
};

export const SECRET_VARIABLES: readonly string[] = Object.keys(SECRETS);

/** Whether `CI` is set to a value other than `false`, `no` or `0`. */
export function isCi(env: NodeJS.ProcessEnv): boolean {
  return !['', '0', 'false', 'no'].includes((env['CI'] ?? '').toLowerCase());
}

/** Passes the secrets of the environment to the redactor, including the password of a proxy. */
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
 * No command accepts a secret as an argument, because other users can see arguments. A secret that is passed as an argument
 * anyway is masked.
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
 * Matches more names than `isSecretName`. The extra matches are harmless, because no flag of the tool that takes a value
 * has such a name.
 */
const SECRET_FLAG = /(?:^|[-_])(?:token|key|secret|pass|pwd)$/i;

/** Matches flags, but not secrets that begin with a dash. */
const OPTION = /^-[A-Za-z]$|^--[a-z]+(?:-[a-z]+)*(?:=|$)/;

/** Conceals both forms of the credentials: as written in the address, and decoded as sent to the proxy. */
function concealEncoded(text: string, redactor: Redactor): void {
  redactor.conceal(text);
  try {
    redactor.conceal(decodeURIComponent(text));
  } catch {
    // not percent-encoded
  }
}

/** Variables that child processes require. A required variable is kept even if its value happens to contain a secret. */
const REQUIRED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_\w+|TERM|TZ|TMPDIR|TEMP|TMP|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_\w+|\w+_PROXY|SystemRoot|windir|SystemDrive|ComSpec|PATHEXT|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES.*|USERPROFILE|USERNAME|HOMEDRIVE|HOMEPATH)$/i;

/** The environment without secrets, and without copies of secrets under other names (`MY_TOKEN=$CRYPTODATA_ACCESS_TOKEN`). */
export function withoutSecrets(env: NodeJS.ProcessEnv, redactor?: Redactor): NodeJS.ProcessEnv {
  const harmless = Object.entries(env).filter(
    ([name, value]) =>
      !SECRET_VARIABLES.includes(name.toUpperCase()) &&
      (REQUIRED.test(name) || !redactor?.holds(value ?? '')),
  );
  return Object.fromEntries(harmless);
}
