import { expect, test } from 'vitest';
import { INFO_COLUMNS } from '../../src/app/session-record.ts';
import { render } from '../../src/cli/render.ts';
import type { OutputFormat as Format } from '../../src/formats/registry.ts';
import { styleOf } from '../../src/formats/style.ts';

test('a table shows the remaining time of a session, and other formats show the time when the session expires', async () => {
  const now = Date.UTC(2026, 0, 1);
  const record = { scopesGranted: ['openid', 'users:read'], accessExpiresAt: now + 5_400_000 };
  const shown = async (format: Format) => {
    let text = '';
    const chosen = ['accessExpiresAt', 'scopesGranted'];
    const outcome = { kind: 'record', record, columns: INFO_COLUMNS(now), chosen } as const;
    const options = { format, view: { timeZone: 'UTC' }, style: styleOf({}, {}), say: () => {} };
    for await (const part of render(outcome, options)) text += part;
    return text;
  };
  const { scopesGranted, accessExpiresAt } = record;
  expect(JSON.parse(await shown('json'))).toEqual({ accessExpiresAt, scopesGranted });
  expect(await shown('csv')).toBe(
    `accessExpiresAt,scopesGranted\n${accessExpiresAt},"[""openid"",""users:read""]"\n`,
  );
  expect(await shown('table')).toMatch(/access token +1 h 30 min left\nscopes granted +openid users:read\n/);
});
