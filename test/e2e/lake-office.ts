import { appendFileSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileKeychain } from '../../src/auth/keychain/file.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { storeKey } from '../auth/expired.ts';
import { type Env, filesIn, sandboxed } from './harness.ts';
import { officeOf } from './logged-in.ts';

/**
 * The workspaces of the sandbox. For `acme`, the token contains the workspace. For `birch`, the settings contain the workspace.
 */
export const ACME = 'ws_5f2c8e01b7';
export const BIRCH = 'ws_91d7b3a4e6';

export interface Office {
  readonly sandbox: Sandbox;
  readonly env: Env;
}

/** Two clients of one service, each with its own workspace and time zone, and the profile `fresh` without a login. */
export async function officeWithLake(rows: number): Promise<Office> {
  const key = 'key-of-birch';
  const sandbox = await sandboxed({ rows, apiKeys: [{ key, workspaceIds: [BIRCH] }] });
  const env = await officeOf({ acme: 'tz = "Europe/Berlin"' }, sandbox.env);
  const directory = env['CRYPTODATA_CONFIG_DIR'] ?? '';
  const addresses = `base_url = "${sandbox.url}"\nauth_url = "${sandbox.url}"\nkeychain = "file"\n`;
  appendFileSync(
    join(directory, 'config.toml'),
    `[profiles.fresh]\n${addresses}[profiles.birch]\n${addresses}workspace = "${BIRCH}"\ntz = "America/New_York"\n`,
  );
  const keychain = new FileKeychain({ directory, env });
  await storeKey({ directory, keychain }, 'birch', { apiKey: key, url: sandbox.url });
  return { sandbox, env };
}

/** Changes the times in the tables of a mirror, as if its runs had been `days` days earlier. */
export function age(folder: string, days: number): void {
  const by = days * 86_400_000;
  for (const name of filesIn(folder)) {
    const path = join(folder, name);
    const then = Date.now() / 1000 - days * 86_400;
    if (name.endsWith('.parquet')) utimesSync(path, then, then);
    if (!/_delta_log\/\d+\.json$/.test(name)) continue;
    const older = readFileSync(path, 'utf8').replaceAll(
      /"(timestamp|deletionTimestamp|modificationTime)":(\d{13})/g,
      (_, field, time) => `"${field}":${Number(time) - by}`,
    );
    writeFileSync(path, older);
  }
}

/** The times of the commits of the table `ledgers`, in Unix milliseconds. */
export function commitTimes(folder: string): number[] {
  const log = join(folder, 'ledgers', '_delta_log');
  return readdirSync(log)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const last = readFileSync(join(log, name), 'utf8').trimEnd().split('\n').at(-1) ?? '';
      return JSON.parse(last).commitInfo.timestamp;
    });
}
