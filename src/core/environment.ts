import type { Redactor } from './redact.ts';
import { isSecretName } from './secret-shapes.ts';

/** The variables that hold a secret of ours. */
export const SECRET_VARIABLES = [
  'CRYPTODATA_CLIENT_SECRET',
  'CRYPTODATA_ACCESS_TOKEN',
  'CRYPTODATA_API_KEY',
  'CRYPTODATA_PASSPHRASE',
];

/** Whether nobody sits there; some set `CI=false` to say that somebody does. */
export function isCi(env: NodeJS.ProcessEnv): boolean {
  return !['', '0', 'false', 'no'].includes((env['CI'] ?? '').toLowerCase());
}

/** Tells the redactor what the environment holds: our own variables, and what the address of a proxy logs in with. */
export function concealEnvironment(env: NodeJS.ProcessEnv, redactor: Redactor): void {
  for (const name of SECRET_VARIABLES) redactor.conceal(env[name]);
  for (const [name, value = ''] of Object.entries(env)) {
    if (!/^(?:https?|all)_proxy$/i.test(name)) continue;
    const [, user = '', password = ''] =
      /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^:]*):(.*)@/is.exec(value.trim()) ?? [];
    if (password !== '') for (const part of [password, `${user}:${password}`]) concealEncoded(part, redactor);
  }
}

/** Secrets on a command line are seen by others, and no command takes any; who types one all the same, sees it masked. */
export function concealArguments(argv: readonly string[], redactor: Redactor): void {
  for (const [at, word] of argv.entries()) {
    const [, dashes = '', name = '', value] = /^(--?)?([\w.-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const names = dashes === '' ? isSecretName(name) : isSecretName(name) || SECRET_FLAG.test(name);
    if (!names) continue;
    if (value !== undefined) redactor.conceal(value);
    else if (dashes !== '' || argv[at - 1] === 'set') {
      const next = argv[at + 1];
      if (next !== undefined && !OPTION.test(next)) redactor.conceal(next);
    }
  }
}

/** Shorter names will do for a flag: a command has none of them. */
const SECRET_FLAG = /(?:^|[-_])(?:token|key|secret|pass|pwd)$/i;

/** A secret may begin with a dash, too, but does not look like this. */
const OPTION = /^-[A-Za-z]$|^--[a-z]+(?:-[a-z]+)*(?:=|$)/;

/** As it stands in the address, and as it is meant: a proxy is sent the latter. */
function concealEncoded(text: string, redactor: Redactor): void {
  redactor.conceal(text);
  try {
    redactor.conceal(decodeURIComponent(text));
  } catch {
    // a percent sign that encodes nothing
  }
}

/** What a child process may not do without, whatever words of it happen to be a part of a secret, too. */
const NEEDED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_\w+|TERM|TZ|TMPDIR|TEMP|TMP|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_\w+|\w+_PROXY|SystemRoot|windir|SystemDrive|ComSpec|PATHEXT|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES.*|USERPROFILE|USERNAME|HOMEDRIVE|HOMEPATH)$/i;

/**
 * The environment for a child process that needs no secret of ours: our variables left out, and others that hold the
 * same values (`MY_TOKEN=$CRYPTODATA_ACCESS_TOKEN`).
 */
export function withoutSecrets(env: NodeJS.ProcessEnv, redactor?: Redactor): NodeJS.ProcessEnv {
  const harmless = Object.entries(env).filter(
    ([name, value]) =>
      !SECRET_VARIABLES.includes(name.toUpperCase()) && (NEEDED.test(name) || !redactor?.holds(value ?? '')),
  );
  return Object.fromEntries(harmless);
}
