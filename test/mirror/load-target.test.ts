import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPassword, passwordIn } from '../../src/mirror/load/password.ts';
import { parseDatabaseTarget } from '../../src/mirror/load/target.ts';
import { hasAccount } from '../needs.ts';
import { newFolder } from './support.ts';

const refusal = (text: string, env: NodeJS.ProcessEnv = {}) => {
  try {
    parseDatabaseTarget(text, { PGUSER: 'ann', ...env });
  } catch (error) {
    return error as { code: string; message: string; hint: string };
  }
  throw new Error(`accepted ${text}`);
};

describe('a database address', () => {
  test('a database address contains the host, the port, the user and the database', () => {
    expect(parseDatabaseTarget('postgresql://ann@db.example:6432/books', {})).toMatchObject({
      ...{ host: 'db.example', port: 6432, user: 'ann', database: 'books', name: 'db.example:6432/books' },
    });
    expect(parseDatabaseTarget('postgres://a%40b@[::1]/my%20books', {})).toMatchObject({
      ...{ host: '::1', port: 5432, user: 'a@b', database: 'my books', name: '[::1]:5432/my books' },
    });
  });

  test('a database address can contain the folder of a Unix socket', () => {
    for (const text of [
      'postgres:///books?host=/run/pg',
      'postgres://ann@/books?host=/run/pg',
      'postgres://%2Frun%2Fpg/books',
    ])
      expect(parseDatabaseTarget(text, { PGUSER: 'ann', PGSSLMODE: 'verify-full' })).toMatchObject({
        ...{ host: '/run/pg', database: 'books', name: '/run/pg:books', tls: undefined, isOpen: false },
      });
  });

  test('parts missing from a database address come from the environment, or are set to defaults', () => {
    const env = { PGHOST: 'db.example', PGPORT: '7000', PGUSER: 'ann', PGDATABASE: 'books' };
    for (const text of ['postgres://', 'postgres://ann@', 'postgres://ann@/books'])
      expect(parseDatabaseTarget(text, env)).toMatchObject({
        ...{ host: 'db.example', port: 7000, user: 'ann', database: 'books' },
      });
  });

  test.skipIf(!hasAccount())(
    'the default user and database are named after the operating system user',
    () => {
      const { username } = userInfo();
      expect(parseDatabaseTarget('postgres://', {})).toMatchObject({
        ...{ host: 'localhost', port: 5432, user: username, database: username },
      });
    },
  );

  test.each([
    'postgres://ann:hunter22@db.example/books',
    'postgres://ann:hunter22@db.example:99999/books',
    'postgres://ann:hunter@22@db.example/books',
    'POSTGRES://ann:hunter22%@db.example/books',
    'https://ann:hunter22@db.example',
    'postgres://ann@db.example/books?password=hunter22',
    'postgres://ann@db.example/books?sslmode=require&sslpassword=hunter22',
  ])(
    'a database address with a password is refused, and the error does not repeat the password: %s',
    (text) => {
      const { code, message, hint } = refusal(text);
      expect(code).toBe('PASSWORD_IN_URL');
      expect(`${message}${hint}`).not.toContain('hunter');
      expect(hint).toContain('PGPASSWORD');
    },
  );

  test.each([
    ['books', /not the address of a PostgreSQL database/],
    ['host=db.example dbname=books', /not the address/],
    ['postgres://db.example:99999/books', /invalid/],
    ['postgres://a.example,b.example/books', /several hosts/],
    ['postgres://db.example/books?sslmod=require', /unknown parameter: sslmod$/],
    ['postgres://db.example/books?sslmode=full', /Unknown TLS mode: "full"/],
    ['postgres://db.example/books?sslmode=no-verify', /Unknown TLS mode: "no-verify"/],
    ['postgres://db.example/books?sslrootcert=/nowhere/ca.pem', /Cannot read the sslrootcert file/],
    ['postgres://db.example/books?channel_binding=yes', /channel_binding must be/],
    ['postgres://localhost/books?channel_binding=require', /channel_binding=require needs TLS/],
    ['postgres://db.example/bo%oks', /percent-encoded/],
  ])('an invalid database address is refused: %s', (text, message) => {
    const found = refusal(text);
    expect(found.code).toBe('BAD_TARGET');
    expect(found.message).toMatch(message);
  });
});

describe('TLS', () => {
  const modeOf = (text: string, env: NodeJS.ProcessEnv = {}) => {
    const { tls, isOpen } = parseDatabaseTarget(text, { PGUSER: 'ann', ...env });
    if (!tls) return isOpen ? 'open' : 'none';
    expect([tls.rejectUnauthorized, isOpen]).toEqual([true, false]);
    return tls.checkServerIdentity?.('other.example', {} as never) === undefined ? 'chain' : 'full';
  };

  test.each([
    ['postgres://db.example/b', 'full'],
    ['postgres://10.0.0.1/b', 'full'],
    ['postgres://localhost.example/b', 'full'],
    ['postgres://db.example/b?sslmode=require', 'full'],
    ['postgres://db.example/b?sslmode=prefer', 'full'],
    ['postgres://db.example/b?sslmode=allow', 'full'],
    ['postgres://db.example/b?sslmode=verify-ca', 'chain'],
    ['postgres://db.example/b?sslmode=disable', 'open'],
    ['postgres://localhost/b', 'none'],
    ['postgres://127.0.0.1/b', 'none'],
    ['postgres://[::1]/b', 'none'],
    ['postgres://localhost/b?sslmode=disable', 'none'],
    ['postgres://localhost/b?sslmode=require', 'full'],
  ])('a connection to %s has the TLS mode %s', (text, expected) => {
    expect(modeOf(text)).toBe(expected);
  });

  test('PGSSLMODE sets the TLS mode if the database address has no sslmode', () => {
    expect(modeOf('postgres://db.example/b', { PGSSLMODE: 'disable' })).toBe('open');
    expect(modeOf('postgres://db.example/b?sslmode=verify-ca', { PGSSLMODE: 'disable' })).toBe('chain');
  });

  test('TLS trusts the certificates in sslrootcert, or else the certificates in PGSSLROOTCERT', () => {
    const folder = newFolder();
    mkdirSync(folder);
    const [one, two] = ['one', 'two'].map((name) => {
      const path = join(folder, `${name}.pem`);
      writeFileSync(path, `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`);
      return path;
    });
    const env = { PGUSER: 'ann', PGSSLROOTCERT: two };
    expect(parseDatabaseTarget('postgres://db.example/b', env).tls?.ca).toContain('two');
    expect(parseDatabaseTarget(`postgres://db.example/b?sslrootcert=${one}`, env).tls?.ca).toContain('one');
    expect(parseDatabaseTarget('postgres://db.example/b?sslrootcert=system', env).tls?.ca).toBeUndefined();
    writeFileSync(join(folder, 'three.pem'), 'no certificate');
    expect(refusal(`postgres://db.example/b?sslrootcert=${join(folder, 'three.pem')}`).message).toMatch(
      /no PEM certificate/,
    );
  });
});

describe('a password', () => {
  const target = parseDatabaseTarget('postgres://ann@db.example/books', {});

  test.each([
    ['db.example:5432:books:ann:one', 'one'],
    ['# db.example:5432:books:ann:no\n*:*:*:*:any', 'any'],
    ['db.example:5433:books:ann:no\r\ndb.example:5432:*:ann:two\r\n', 'two'],
    ['*:*:*:ann:first\n*:*:*:ann:second', 'first'],
    ['*:*:*:ann:a\\:b\\\\c', 'a:b\\c'],
    ['*:*:*:ann:with:colons', 'with:colons'],
    ['db\\.example:5432:books:ann:escaped', 'escaped'],
    ['*:*:*:bob:no', undefined],
    ['*:*:*:ann:', undefined],
    ['nothing', undefined],
    ['', undefined],
  ])('a password file with the text %j gives the password %j', (text, expected) => {
    expect(passwordIn(text, target)).toBe(expected);
  });

  test('the password for a socket comes from an entry for localhost or for the socket folder', () => {
    const socket = { ...target, host: '/run/pg' };
    expect(passwordIn('localhost:*:*:*:one', socket)).toBe('one');
    expect(passwordIn('/run/pg:*:*:*:two', socket)).toBe('two');
  });

  test('the password comes from PGPASSWORD, or else from PGPASSFILE, or else from ~/.pgpass', async () => {
    const home = newFolder();
    mkdirSync(home);
    const write = (name: string, password: string) =>
      writeFileSync(join(home, name), `*:*:*:*:${password}\n`, { mode: 0o600 });
    write('.pgpass', 'home');
    write('other', 'named');
    const warn = () => expect.unreachable();
    const env = { HOME: home, PGPASSFILE: join(home, 'other'), PGPASSWORD: 'variable' };
    expect(await findPassword(target, env, warn)).toBe('variable');
    expect(await findPassword(target, { ...env, PGPASSWORD: '' }, warn)).toBe('named');
    expect(await findPassword(target, { HOME: home }, warn)).toBe('home');
    expect(await findPassword(target, { HOME: join(home, 'nobody') }, warn)).toBeUndefined();
  });

  test('a password file is ignored with a warning if other users can read it', async () => {
    const home = newFolder();
    mkdirSync(home);
    const file = join(home, '.pgpass');
    writeFileSync(file, '*:*:*:*:secret\n');
    chmodSync(file, 0o640);
    const warnings: string[] = [];
    const warn = (text: string) => void warnings.push(text);
    expect(await findPassword(target, { HOME: home }, warn)).toBeUndefined();
    expect(await findPassword(target, { PGPASSFILE: join(home, 'missing') }, warn)).toBeUndefined();
    expect(warnings).toEqual([
      `warning: ${file} is ignored, because other users can access it. Protect the file with: chmod 600 ${file}`,
      `warning: the file named by PGPASSFILE does not exist: ${join(home, 'missing')}`,
    ]);
  });
});
