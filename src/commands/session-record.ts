import type { SessionInfo } from '../auth/session.ts';
import type { JsonRecord } from '../base/json.ts';
import type { Column, Columns } from '../output/columns.ts';

/** What is known of a session, as a record. */
export function describe(profile: string, info: SessionInfo): JsonRecord {
  return { profile, ...info };
}

/** How people read a session; `now` is what times left are counted from. */
export function INFO_COLUMNS(now: number): Columns {
  const left = (key: string, header: string): Column => ({
    key,
    header,
    derive: (record) => timeLeft(record[key], now),
  });
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
    left('accessExpiresAt', 'access token'),
    left('refreshExpiresAt', 'session'),
  ];
  return { table, csv: table };
}

function words(value: unknown): unknown {
  return Array.isArray(value) ? value.join(' ') : value;
}

/** `23 h 59 min left`, from a moment in milliseconds. */
export function timeLeft(moment: unknown, now: number): string | undefined {
  if (typeof moment !== 'number') return undefined;
  const minutes = Math.floor((moment - now) / 60_000);
  if (moment <= now) return 'expired';
  if (minutes < 60) return `${minutes} min left`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
  return `${Math.floor(minutes / 1440)} days left`;
}
