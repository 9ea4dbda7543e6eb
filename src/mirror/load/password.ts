import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findHome } from '../../core/home.ts';
import { showText } from '../../core/text.ts';
import type { DatabaseTarget } from './target.ts';

/**
 * Finds the database password in PGPASSWORD or in libpq's password file. Returns undefined if there is no password.
 *
 * @param warn called if the file in PGPASSFILE is missing, or if the password file is ignored because other users can access it
 */
export async function findPassword(
  target: DatabaseTarget,
  env: NodeJS.ProcessEnv,
  warn: (text: string) => void,
): Promise<string | undefined> {
  if (env['PGPASSWORD']) return env['PGPASSWORD'];
  const file = env['PGPASSFILE'] || usualFile(env);
  if (file === undefined) return undefined;
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) {
    if (env['PGPASSFILE']) warn(`warning: the file named by PGPASSFILE does not exist: ${showText(file)}`);
    return undefined;
  }
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    warn(
      `warning: ${showText(file)} is ignored, because other users can access it. Protect the file with: chmod 600 ${showText(file)}`,
    );
    return undefined;
  }
  return passwordIn(await readFile(file, 'utf8'), target);
}

function usualFile(env: NodeJS.ProcessEnv): string | undefined {
  if (process.platform === 'win32') return join(env['APPDATA'] ?? '', 'postgresql', 'pgpass.conf');
  const home = findHome(env);
  return home === undefined ? undefined : join(home, '.pgpass');
}

const FIELD = '((?:\\\\.|[^:\\\\])*)';
const LINE = new RegExp(`^${[FIELD, FIELD, FIELD, FIELD].join(':')}:(.*)$`);

/**
 * Returns the password from the first line that matches. A line has the form `host:port:database:user:password`. In a field,
 * `*` matches any value, and a backslash escapes a colon or a backslash.
 */
export function passwordIn(
  text: string,
  { host, port, database, user }: Pick<DatabaseTarget, 'host' | 'port' | 'database' | 'user'>,
): string | undefined {
  // For a Unix socket, the host `localhost` also matches.
  const hosts = host.startsWith('/') ? [host, 'localhost'] : [host];
  const wanted = [hosts, [String(port)], [database], [user]];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = (LINE.exec(line) ?? []).slice(1).map((field) => field.replace(/\\(.)/g, '$1'));
    const password = fields.pop();
    const matches = wanted.every((values, at) => ['*', ...values].some((value) => value === fields[at]));
    if (password && matches) return password;
  }
  return undefined;
}
