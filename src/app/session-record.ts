import { anything, arrayOf, int, nullable, text, word } from '../api/records.ts';
import type { SessionInfo } from '../auth/session.ts';
import { sameColumns } from '../cli/common-flags.ts';
import { made, optional } from '../cli/output.ts';
import { MINUTE } from '../core/instant.ts';
import type { JsonRecord } from '../core/json.ts';
import type { Column, Columns } from '../formats/columns.ts';

/** Schema of a session. If the token of the session cannot be read, some fields are missing. */
export const SESSION = made({
  profile: nullable(text),
  source: optional(word('session', 'environment')),
  sub: optional(nullable(text)),
  workspaceId: optional(nullable(text)),
  workspaceName: optional(nullable(text)),
  workspaceType: optional(nullable(text)),
  role: optional(nullable(text)),
  plan: optional(nullable(text)),
  scopesGranted: optional(nullable(arrayOf(text))),
  scopesRequested: optional(nullable(arrayOf(text))),
  scopesNotGranted: optional(anything),
  obtainedAt: optional(nullable(int)),
  accessExpiresAt: optional(nullable(int)),
  refreshExpiresAt: optional(nullable(int)),
  userinfo: optional(anything),
});

export const KEY = made({
  profile: text,
  source: word('api-key'),
  workspaceId: nullable(text),
  sub: nullable(anything),
});

/** Converts a session to a record. `profile` is null for a token from the environment. */
export function describe(profile: string, info: SessionInfo): JsonRecord {
  return { profile: info.source === 'session' ? profile : null, ...info };
}

/** @param uid the owner of the key, if known */
export function describeKey(profile: string, workspaceId: string | undefined, uid: unknown): JsonRecord {
  return { profile, source: 'api-key', workspaceId: workspaceId ?? null, sub: uid ?? null };
}

export const KEY_COLUMNS: Columns = sameColumns(
  'profile',
  { key: 'source', header: 'credential' },
  { key: 'workspaceId', header: 'workspace id' },
  { key: 'sub', header: 'user id' },
);

/** A column that shows how much time is left until the moment in the field `key`. */
export function leftColumn(key: string, header: string, now: number): Column {
  return { key, header, derive: (record) => timeLeft(record[key], now) };
}

export function INFO_COLUMNS(now: number): Columns {
  const scopes = (key: string, header: string): Column => ({
    key,
    header,
    derive: (record) => words(record[key]),
  });
  const table: readonly Column[] = [
    { key: 'profile' },
    { key: 'workspaceName', header: 'workspace' },
    { key: 'workspaceId', header: 'workspace id' },
    { key: 'workspaceType', header: 'workspace type' },
    { key: 'role' },
    { key: 'plan' },
    { key: 'userinfo.name', header: 'name' },
    { key: 'userinfo.email', header: 'email' },
    { key: 'sub', header: 'user id' },
    scopes('scopesGranted', 'scopes granted'),
    scopes('scopesNotGranted', 'not granted'),
    leftColumn('accessExpiresAt', 'access token', now),
    leftColumn('refreshExpiresAt', 'session', now),
  ];
  return { table, csv: table.map(({ key }) => ({ key })) };
}

function words(value: unknown): unknown {
  return Array.isArray(value) ? value.join(' ') : value;
}

/**
 * The remaining time as text, such as `23 h 59 min left`.
 *
 * @param moment in Unix milliseconds
 */
export function timeLeft(moment: unknown, now: number): string | undefined {
  if (typeof moment !== 'number') return undefined;
  const minutes = Math.floor((moment - now) / MINUTE);
  if (moment <= now) return 'expired';
  if (minutes < 60) return `${minutes} min left`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
  return `${Math.floor(minutes / 1440)} days left`;
}
