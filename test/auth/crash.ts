// Shared by crash.test.ts and crash.script.ts. The script runs in the process that is killed.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import type { AuthHost } from '../../src/auth/host.ts';
import { FileKeychain } from '../../src/auth/keychain/file.ts';
import { type EntryStore, OsKeychain } from '../../src/auth/keychain/os.ts';
import { Settings } from '../../src/config/settings.ts';
import { lazyAgent } from './lazy-agent.ts';

export type Action = 'refresh' | 'login' | 'logout';
export type KeychainKind = 'entries' | 'file';

/** The instructions for a process that runs crash.script.ts. */
export interface Job {
  readonly action: Action;
  readonly directory: string;
  readonly keychain: KeychainKind;
  readonly authUrl: string;
  readonly redirectUri: string;
  /** The process kills itself just before this step. The first step is 1. With 0, the process runs to its end. */
  readonly killAt: number;
  /** Directory for the copies that the process makes before each step: `NUMBER/config` and `NUMBER/entries`. */
  readonly moments?: string;
}

/** The JSON object that a process prints on stdout if it is not killed. */
export interface Outcome {
  readonly steps: readonly string[];
  readonly warnings: readonly string[];
  readonly accessToken?: string;
  readonly error?: string;
}

/** Stores keychain entries as files in a folder. Limits their length as Windows does. Entries are written atomically. */
export class FolderEntries implements EntryStore {
  readonly #folder: string;
  readonly #step: (name: string) => void;

  constructor(folder: string, step: (name: string) => void = () => {}) {
    this.#folder = folder;
    this.#step = step;
  }

  async get(account: string): Promise<string | null> {
    try {
      return readFileSync(this.#path(account), 'utf8');
    } catch {
      return null;
    }
  }

  async set(account: string, secret: string): Promise<void> {
    if (secret.length > 1280) throw new Error('too long');
    this.#step(`before set ${account}`);
    const path = this.#path(account);
    writeFileSync(join(this.#folder, '..', 'entry'), secret);
    renameSync(join(this.#folder, '..', 'entry'), path);
    this.#step(`after set ${account}`);
  }

  async delete(account: string): Promise<boolean> {
    const there = this.accounts().includes(account);
    if (!there) return false;
    this.#step(`before delete ${account}`);
    rmSync(this.#path(account));
    this.#step(`after delete ${account}`);
    return true;
  }

  accounts(): string[] {
    return readdirSync(this.#folder).map(decodeURIComponent).sort();
  }

  #path(account: string): string {
    return join(this.#folder, encodeURIComponent(account));
  }
}

export const PASSPHRASE = 'correct horse';

export function entriesFolder({ directory }: Pick<Job, 'directory'>): string {
  return join(directory, '..', 'entries');
}

export interface Watch {
  readonly step?: (name: string) => void;
  readonly dispatcher?: Dispatcher;
}

export function hostOf(
  job: Job,
  { step, dispatcher = lazyAgent() }: Watch = {},
): AuthHost & { readonly warnings: string[] } {
  const { directory, authUrl, redirectUri } = job;
  const env = { CRYPTODATA_PASSPHRASE: PASSPHRASE };
  const profile = {
    auth_url: authUrl,
    client_id: 'the-client',
    redirect_uri: redirectUri,
    scopes: 'openid offline_access',
  };
  const warnings: string[] = [];
  return {
    settings: new Settings({ flags: {}, env, file: { profiles: { default: profile } } }),
    env,
    directory,
    keychain:
      job.keychain === 'file'
        ? new FileKeychain({ directory, env })
        : new OsKeychain(new FolderEntries(entriesFolder(job), step)),
    dispatcher,
    now: Date.now,
    signal: new AbortController().signal,
    warn: (line) => warnings.push(line),
    warnings,
  };
}
