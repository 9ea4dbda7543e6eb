import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openKeychain } from '../../src/auth/keychain/index.ts';
import { failure, temporaryDirectory } from './support.ts';

function open(directory: string, passphrase?: string) {
  const env = passphrase === undefined ? {} : { CRYPTODATA_PASSPHRASE: passphrase };
  return openKeychain({ kind: 'file', directory, env });
}

describe('the file keychain', () => {
  it('keeps entries under a passphrase, in a file that only its owner reads', async () => {
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

  it('takes one passphrase in both of its Unicode forms', async () => {
    const directory = temporaryDirectory();
    await open(directory, 'caf\u00e9').set('a', 'b');
    expect(await open(directory, 'cafe\u0301').get('a')).toBe('b');
  });

  it('tells a wrong passphrase', async () => {
    const directory = temporaryDirectory();
    await open(directory, 'right').set('a', 'b');
    const before = readFileSync(join(directory, 'secrets.enc'));
    for (const step of [
      () => open(directory, 'wrong').get('a'),
      () => open(directory, 'wrong').set('a', 'c'),
    ]) {
      const error = await failure(step);
      expect([error.kind, error.code]).toEqual(['usage', 'WRONG_PASSPHRASE']);
    }
    expect(readFileSync(join(directory, 'secrets.enc'))).toEqual(before);
  });

  it('tells a damaged file from a wrong passphrase, wherever the damage is', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'secrets.enc');
    await open(directory, 'right').set('a', 'b');
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
      text.replace('32768', '16384'),
      text.replace('32768', '1073741824'),
    ];
    for (const damage of damages) {
      expect(damage).not.toBe(text);
      writeFileSync(path, damage, { mode: 0o600 });
      expect((await failure(open(directory, 'right').get('a'))).code).toBe('SECRETS_DAMAGED');
    }
    writeFileSync(path, text);
    expect(await open(directory, 'right').get('a')).toBe('b');
  });

  it.skipIf(process.platform === 'win32')('refuses a file that others can read', async () => {
    const directory = temporaryDirectory();
    await open(directory, 'right').set('a', 'b');
    for (const mode of [0o640, 0o604, 0o620]) {
      chmodSync(join(directory, 'secrets.enc'), mode);
      const error = await failure(open(directory, 'right').get('a'));
      expect(error.code).toBe('SECRETS_EXPOSED');
      expect(error.hint).toContain('chmod 600');
    }
  });

  it.skipIf(process.platform === 'win32')(
    'may stand behind a link, whose own mode means nothing',
    async () => {
      const [directory, real] = [temporaryDirectory(), temporaryDirectory()];
      symlinkSync(join(real, 'secrets.enc'), join(directory, 'secrets.enc'));
      await open(real, 'right').set('a', 'b');
      expect(await open(directory, 'right').get('a')).toBe('b');
      await open(directory, 'right').set('c', 'd');
      expect(lstatSync(join(directory, 'secrets.enc')).isSymbolicLink()).toBe(true);
      expect(await open(real, 'right').get('c')).toBe('d');
    },
  );

  it.skipIf(process.platform === 'win32')(
    'in a directory that cannot be written says so, and loses nothing',
    async () => {
      // No permission stops root; a place that is none for files stops everyone.
      const directory = process.getuid?.() === 0 ? '/sys/cryptodata' : temporaryDirectory();
      if (process.getuid?.() !== 0) {
        await open(directory, 'right').set('a', 'b');
        chmodSync(directory, 0o555);
        expect(await open(directory, 'right').get('a')).toBe('b');
      }
      for (const step of [
        () => open(directory, 'right').set('a', 'c'),
        () => open(directory, 'right').probe(),
      ]) {
        const error = await failure(step);
        expect([error.kind, error.code]).toEqual(['usage', 'DIRECTORY_UNWRITABLE']);
        expect(error.message).toContain(directory);
        expect(error.hint).toContain('CRYPTODATA_CONFIG_DIR');
      }
    },
  );

  it('that is no file says that it cannot be read', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'secrets.enc'), { mode: 0o700 });
    const error = await failure(open(directory, 'right').get('a'));
    expect([error.code, error.hint]).toEqual([
      'SECRETS_UNREADABLE',
      expect.stringContaining('CRYPTODATA_CONFIG_DIR'),
    ]);
  });

  it('without a passphrase names the variable, and writes nothing', async () => {
    const directory = temporaryDirectory();
    const error = await failure(open(directory).set('a', 'b'));
    expect([error.kind, error.code]).toEqual(['usage', 'MISSING_PASSPHRASE']);
    expect(error.hint).toContain('CRYPTODATA_PASSPHRASE');
    expect(() => statSync(join(directory, 'secrets.enc'))).toThrow();
  });

  it('asks once, knows whether it is a new one, and asks again after a wrong one', async () => {
    const directory = temporaryDirectory();
    const asked: boolean[] = [];
    let answer = 'mine';
    const options = {
      kind: 'file',
      directory,
      env: {},
      askPassphrase: async ({ creating }: { creating: boolean }) => {
        asked.push(creating);
        return answer;
      },
    };
    const first = openKeychain(options);
    await Promise.all([first.set('a', '1'), first.set('b', '2')]);
    expect(await first.get('a')).toBe('1');
    expect(asked).toEqual([true]);
    const second = openKeychain(options);
    answer = 'not mine';
    expect((await failure(second.get('a'))).code).toBe('WRONG_PASSPHRASE');
    answer = 'mine';
    expect(await Promise.all([second.get('a'), second.get('b')])).toEqual(['1', '2']);
    expect(asked).toEqual([true, false, false]);
  });

  it('loses no entry of another keychain that writes at the same time', async () => {
    const directory = temporaryDirectory();
    const keychains = Array.from({ length: 4 }, () => open(directory, 'shared'));
    const accounts = Array.from({ length: 20 }, (_, index) => `account-${index}`);
    await Promise.all(
      accounts.map((account, index) => keychains[index % 4]?.set(account, account.toUpperCase())),
    );
    const reader = open(directory, 'shared');
    expect(await Promise.all(accounts.map((account) => reader.get(account)))).toEqual(
      accounts.map((account) => account.toUpperCase()),
    );
  });
});
