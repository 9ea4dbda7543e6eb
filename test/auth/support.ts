import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockAgent } from 'undici';
import { expect, onTestFinished } from 'vitest';
import type { AuthHost } from '../../src/auth/host.ts';
import type { Keychain } from '../../src/auth/keychain/keychain.ts';
import { Settings } from '../../src/config/settings.ts';
import { CryptodataError } from '../../src/core/errors.ts';
import { removeFolder } from '../remove-folder.ts';

export const AUTH = 'https://auth.example.com';
export const API = 'https://api.example.com';

export class MemoryKeychain implements Keychain {
  readonly describe = 'memory';
  readonly entries = new Map<string, string>();
  readonly calls: string[] = [];
  /** If set, every call fails with this error. */
  broken: Error | undefined;

  async get(account: string) {
    this.#called(`get ${account}`);
    return this.entries.get(account) ?? null;
  }
  async set(account: string, secret: string) {
    this.#called(`set ${account}`);
    this.entries.set(account, secret);
  }
  async delete(account: string) {
    this.#called(`delete ${account}`);
    this.entries.delete(account);
  }
  async probe() {
    this.#called('probe');
  }
  #called(call: string) {
    this.calls.push(call);
    if (this.broken) throw this.broken;
  }
}

export interface TestHost extends AuthHost {
  readonly keychain: MemoryKeychain;
  readonly dispatcher: MockAgent;
  readonly abort: AbortController;
  readonly lines: string[];
  readonly warnings: string[];
  time: number;
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cryptodata-auth-'));
  onTestFinished(() => removeFolder(directory));
  return directory;
}

export interface HostOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly profile?: Record<string, string>;
  readonly directory?: string;
  readonly keychain?: MemoryKeychain;
}

/** Creates a host without network access. Its keychain is in memory, and its clock does not advance. */
export function testHost(options: HostOptions = {}): TestHost {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  onTestFinished(() => dispatcher.close());
  const abort = new AbortController();
  const lines: string[] = [];
  const warnings: string[] = [];
  const env = options.env ?? { CRYPTODATA_CLIENT_SECRET: 'the-secret' };
  const profile = { auth_url: AUTH, client_id: 'the-client', ...options.profile };
  return {
    settings: new Settings({ flags: {}, env, file: { profiles: { default: profile } } }),
    env,
    directory: options.directory ?? temporaryDirectory(),
    keychain: options.keychain ?? new MemoryKeychain(),
    dispatcher,
    abort,
    signal: abort.signal,
    lines,
    debug: (line) => lines.push(line),
    warnings,
    warn: (line) => warnings.push(line),
    time: 1_700_000_000_000,
    now() {
      return this.time;
    },
  };
}

/** Returns the error that `step` throws. Fails if `step` succeeds or throws an error of another class. */
export async function failure(step: Promise<unknown> | (() => unknown)): Promise<CryptodataError> {
  let error: unknown;
  try {
    await (typeof step === 'function' ? step() : step);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(CryptodataError);
  if (!(error instanceof CryptodataError)) throw error;
  return error;
}

/** Creates a JWT. Its signature is invalid, but the tool does not verify signatures. */
export function jwt(claims: Record<string, unknown>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.c2ln`;
}
