import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openKeychain } from '../../src/auth/keychain/index.ts';
import { runs } from '../runs.ts';
import { cheapVault } from './expired.ts';
import { failure, temporaryDirectory } from './support.ts';

function open(directory: string, passphrase?: string) {
  const env = passphrase === undefined ? {} : { CRYPTODATA_PASSPHRASE: passphrase };
  return openKeychain({ kind: 'file', directory, env });
}

describe('the file keychain', () => {
  it('the file keychain is encrypted, and only the owner can read the file', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'secrets.enc');
    const keychain = open(directory, 'correct horse');
    expect(await keychain.get('p:refresh-token')).toBeNull();
    await keychain.probe();
    await keychain.set('p:refresh-token', 'the-token'.repeat(1000));
    await keychain.set('p:api-key', '🔑');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'latin1')).not.toMatch(/the-token|api-key|correct/);
    const again = open(directory, 'correct horse');
    expect(await again.get('p:refresh-token')).toBe('the-token'.repeat(1000));
    expect(await again.get('p:api-key')).toBe('🔑');
    await again.delete('p:api-key');
    await again.delete('p:api-key');
    expect(await keychain.get('p:api-key')).toBeNull();
    await keychain.delete('p:refresh-token');
    expect(() => statSync(path)).toThrow();
  });

  it('storing the first secret in a keychain file keeps the key derivation parameters of the file', async () => {
    const directory = temporaryDirectory();
    await cheapVault(directory, 'correct horse', {});
    const keychain = open(directory, 'correct horse');
    await keychain.probe();
    await keychain.set('a', 'b');
    expect(readFileSync(join(directory, 'secrets.enc'), 'utf8')).toContain('"N": 16,');
    expect(await open(directory, 'correct horse').get('a')).toBe('b');
  });

  it('accepts the same passphrase in composed and in decomposed Unicode', async () => {
    const directory = temporaryDirectory();
    await open(directory, 'four words and a caf\u00e9').set('a', 'b');
    expect(await open(directory, 'four words and a cafe\u0301').get('a')).toBe('b');
  });

  it('reports a wrong passphrase', async () => {
    const directory = temporaryDirectory();
    await cheapVault(directory, 'the right passphrase', { a: 'b' });
    const before = readFileSync(join(directory, 'secrets.enc'));
    for (const step of [
      () => open(directory, 'the wrong passphrase').get('a'),
      () => open(directory, 'the wrong passphrase').set('a', 'c'),
    ]) {
      const error = await failure(step);
      expect([error.kind, error.code]).toEqual(['usage', 'WRONG_PASSPHRASE']);
    }
    expect(readFileSync(join(directory, 'secrets.enc'))).toEqual(before);
  });

  it('reports damage anywhere in the file as SECRETS_DAMAGED, not as a wrong passphrase', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'secrets.enc');
    await cheapVault(directory, 'the right passphrase', { a: 'b' });
    const text = readFileSync(path, 'utf8');
    const damages = [
      text.slice(0, text.length / 2),
      '',
      '[]',
      ...['salt', 'check', 'digest', 'nonce', 'tag', 'data'].map((name) =>
        text.replace(
          new RegExp(`("${name}": ")(.)`),
          (_, start, one) => `${start}${one === 'A' ? 'B' : 'A'}`,
        ),
      ),
      text.replace('"N": 16', '"N": 8'),
      text.replace('"N": 16', '"N": 1073741824'),
    ];
    for (const damage of damages) {
      expect(damage).not.toBe(text);
      writeFileSync(path, damage, { mode: 0o600 });
      expect((await failure(open(directory, 'the right passphrase').get('a'))).code).toBe('SECRETS_DAMAGED');
    }
    writeFileSync(path, text);
    expect(await open(directory, 'the right passphrase').get('a')).toBe('b');
  });

  it('rejects a file if its key derivation would fail, or need too much time or memory', async () => {
    const directory = temporaryDirectory();
    await cheapVault(directory, 'the right passphrase', { a: 'b' });
    const path = join(directory, 'secrets.enc');
    const sealed = JSON.parse(readFileSync(path, 'utf8'));
    for (const [N, r, p] of [
      [2, 1, 1],
      [8, 8, 1],
      [1, 8, 1],
      [0, 8, 1],
      [-16, 8, 1],
      [1000, 8, 1],
      [2 ** 15, 8.5, 1],
      [2 ** 18, 16, 16],
      [2 ** 18, 8, 1],
      [2 ** 17, 8, 16],
      [2 ** 17, 1, 1],
      [2 ** 15, 16, 1],
      [2 ** 15, 8, 2 ** 30],
      [16, 8, 1e6],
      [16, 0, 1],
      [16, 1, 0],
    ]) {
      const header = { ...sealed.header, N, r, p };
      // A new digest, which anybody can compute: it detects damage, not manipulation.
      const digest = createHash('sha256').update(JSON.stringify(header)).digest('base64');
      writeFileSync(path, JSON.stringify({ ...sealed, header, digest }), { mode: 0o600 });
      const error = await failure(open(directory, 'the right passphrase').get('a'));
      expect([N, r, p, error.code]).toEqual([N, r, p, 'SECRETS_DAMAGED']);
    }
  });

  it.skipIf(process.platform === 'win32')('rejects a named pipe without waiting for a writer', async () => {
    const directory = temporaryDirectory();
    execFileSync('mkfifo', ['-m', '600', join(directory, 'secrets.enc')]);
    const keychain = open(directory, 'the right passphrase');
    for (const step of [() => keychain.get('a'), () => keychain.set('a', 'b'), () => keychain.delete('a')]) {
      const error = await failure(step);
      expect([error.code, error.message]).toEqual([
        'SECRETS_UNREADABLE',
        expect.stringContaining('not a regular file'),
      ]);
    }
  });

  it.skipIf(process.platform === 'win32')(
    'rejects a folder that other users can write to, even behind a symbolic link or before the file exists',
    async () => {
      const [directory, linked] = [temporaryDirectory(), temporaryDirectory()];
      symlinkSync(join(directory, 'secrets.enc'), join(linked, 'secrets.enc'));
      const exposed = async (folder: string) => {
        for (const mode of [0o770, 0o702, 0o1777]) {
          chmodSync(directory, mode);
          const error = await failure(open(folder, 'the right passphrase').set('a', 'b'));
          expect([error.code, error.hint]).toEqual([
            'SECRETS_EXPOSED',
            expect.stringContaining(`chmod 700 ${directory}`),
          ]);
        }
        chmodSync(directory, 0o755);
      };
      await exposed(directory);
      await cheapVault(directory, 'the right passphrase', { a: 'b' });
      await exposed(directory);
      await exposed(linked);
      expect(await open(linked, 'the right passphrase').get('a')).toBe('b');
    },
  );

  it.skipIf(process.getuid?.() !== 0)('rejects a file or a folder of another user', async () => {
    const directory = temporaryDirectory();
    await cheapVault(directory, 'the right passphrase', { a: 'b' });
    for (const path of [join(directory, 'secrets.enc'), directory]) {
      chownSync(path, 65_534, 65_534);
      const error = await failure(open(directory, 'the right passphrase').get('a'));
      expect([error.code, error.message]).toEqual(['SECRETS_EXPOSED', `${path} belongs to another user`]);
      chownSync(path, 0, 0);
    }
    expect(await open(directory, 'the right passphrase').get('a')).toBe('b');
  });

  it.skipIf(process.platform === 'win32')(
    'rejects a keychain file with group or world permissions',
    async () => {
      const directory = temporaryDirectory();
      await cheapVault(directory, 'the right passphrase', { a: 'b' });
      for (const mode of [0o640, 0o604, 0o620]) {
        chmodSync(join(directory, 'secrets.enc'), mode);
        const error = await failure(open(directory, 'the right passphrase').get('a'));
        expect(error.code).toBe('SECRETS_EXPOSED');
        expect(error.hint).toContain('chmod 600');
      }
    },
  );

  it.skipIf(process.platform === 'win32')(
    'follows a symbolic link to the keychain file, and keeps the link',
    async () => {
      const [directory, real] = [temporaryDirectory(), temporaryDirectory()];
      symlinkSync(join(real, 'secrets.enc'), join(directory, 'secrets.enc'));
      await cheapVault(real, 'the right passphrase', { a: 'b' });
      expect(await open(directory, 'the right passphrase').get('a')).toBe('b');
      await open(directory, 'the right passphrase').set('c', 'd');
      expect(lstatSync(join(directory, 'secrets.enc')).isSymbolicLink()).toBe(true);
      expect(await open(real, 'the right passphrase').get('c')).toBe('d');
    },
  );

  it.skipIf(process.platform === 'win32')(
    'reports an unwritable directory and keeps existing entries',
    async () => {
      // Permissions do not restrict root. If the test runs as root, it uses a path where no user can create files.
      const directory = process.getuid?.() === 0 ? '/sys/cryptodata' : temporaryDirectory();
      if (process.getuid?.() !== 0) {
        await open(directory, 'the right passphrase').set('a', 'b');
        chmodSync(directory, 0o555);
        expect(await open(directory, 'the right passphrase').get('a')).toBe('b');
      }
      for (const step of [
        () => open(directory, 'the right passphrase').set('a', 'c'),
        () => open(directory, 'the right passphrase').probe(),
      ]) {
        const error = await failure(step);
        expect([error.kind, error.code]).toEqual(['usage', 'DIRECTORY_UNWRITABLE']);
        expect(error.message).toContain(directory);
        expect(error.hint).toContain('CRYPTODATA_CONFIG_DIR');
      }
    },
  );

  it('reports SECRETS_UNREADABLE if the path of the keychain file is a directory', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'secrets.enc'), { mode: 0o700 });
    const error = await failure(open(directory, 'the right passphrase').get('a'));
    expect([error.code, error.hint]).toEqual([
      'SECRETS_UNREADABLE',
      expect.stringContaining('CRYPTODATA_CONFIG_DIR'),
    ]);
  });

  it('if the passphrase is missing, the error suggests CRYPTODATA_PASSPHRASE, and no file is written', async () => {
    const directory = temporaryDirectory();
    const error = await failure(open(directory).set('a', 'b'));
    expect([error.kind, error.code]).toEqual(['usage', 'MISSING_PASSPHRASE']);
    expect(error.hint).toContain('CRYPTODATA_PASSPHRASE');
    expect(() => statSync(join(directory, 'secrets.enc'))).toThrow();
  });

  /** Opens the keychain for a user who answers the prompts with `answers`. */
  function typing(directory: string, ...answers: string[]) {
    const asked: { readonly creating: boolean; readonly wrong: boolean }[] = [];
    const keychain = openKeychain({
      kind: 'file',
      directory,
      env: {},
      askPassphrase: async (question) => {
        asked.push(question);
        return answers.shift() ?? '';
      },
    });
    return { keychain, asked };
  }

  it('prompts once for a new passphrase, and up to three times for the passphrase of an existing file', async () => {
    const directory = temporaryDirectory();
    const first = typing(directory, 'the passphrase');
    await Promise.all([first.keychain.set('a', '1'), first.keychain.set('b', '2')]);
    expect(await first.keychain.get('a')).toBe('1');
    expect(first.asked).toEqual([{ creating: true, wrong: false }]);

    await cheapVault(directory, 'the passphrase', { a: '1', b: '2' });
    const second = typing(directory, 'a slip', 'another slip', 'the passphrase');
    expect(await Promise.all([second.keychain.get('a'), second.keychain.get('b')])).toEqual(['1', '2']);
    expect(second.asked.map(({ wrong }) => wrong)).toEqual([false, true, true]);

    const third = typing(directory, 'no', 'no', 'no', 'the passphrase');
    expect((await failure(third.keychain.get('a'))).code).toBe('WRONG_PASSPHRASE');
    expect(third.asked).toHaveLength(3);
  });

  it('rejects a new passphrase of 11 characters, but opens an existing file with a shorter passphrase', async () => {
    const directory = temporaryDirectory();
    const error = await failure(open(directory, 'x'.repeat(11)).set('a', 'b'));
    expect([error.kind, error.code]).toEqual(['usage', 'SHORT_PASSPHRASE']);
    await open(directory, 'x'.repeat(12)).set('a', 'b');
    await cheapVault(directory, 'short', { a: 'kept' });
    expect(await open(directory, 'short').get('a')).toBe('kept');
  });

  it('keeps every entry if several keychain instances write at the same time', async () => {
    const directory = temporaryDirectory();
    const keychains = Array.from({ length: 4 }, () => open(directory, 'the shared passphrase'));
    const accounts = Array.from({ length: runs(20, 8) }, (_, index) => `account-${index}`);
    await Promise.all(
      accounts.map((account, index) => keychains[index % 4]?.set(account, account.toUpperCase())),
    );
    const reader = open(directory, 'the shared passphrase');
    expect(await Promise.all(accounts.map((account) => reader.get(account)))).toEqual(
      accounts.map((account) => account.toUpperCase()),
    );
  });
});
