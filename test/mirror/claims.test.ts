import { Agent } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimsOf } from '../../src/mirror/claims.ts';
import { addMark } from '../../src/mirror/marks.ts';
import { openMirror } from '../../src/mirror/open.ts';
import {
  CALM,
  type LedgerServer,
  makeRow,
  makeRows,
  seeded,
  startLedgerServer,
} from '../export/ledger-server.ts';
import { mirrored } from './request.ts';
import { newFolder } from './support.ts';

const dispatcher = new Agent();
const random = seeded(4);
const folder = newFolder();
const at = (time: number) => new Date(time).toISOString();
let server: LedgerServer;
let last: number;

// At time 1000, the first run reads all windows. At time 2000, the second run reads only the last window.
beforeAll(async () => {
  server = await startLedgerServer(makeRows(300, 0.3, random), CALM, random);
  const { url } = server;
  await mirrored(folder, { url, dispatcher, now: () => 1000 });
  last = Math.max(...server.rows.map(({ timestamp }) => timestamp));
  server.replace([...server.rows, { ...makeRow(last, 999, random), walletId: 'wal_1' }]);
  await mirrored(folder, { url, dispatcher, now: () => 2000 });
});
afterAll(async () => {
  await server.close();
  await dispatcher.close();
});

test('the verification time of a whole mirror is the earliest verification time of its windows', async () => {
  const mirror = await openMirror(folder);
  const claims = claimsOf(mirror, {});
  expect(claims).toMatchObject({
    ...{ claim: { verified: true }, readAt: at(2000) },
    ...{ countsVerifiedAt: at(2000), contentsVerifiedAt: at(1000) },
  });
  expect(claims.claim.sentence((time) => `<${time}>`)).toBe(
    `The mirror contains the legs as of <${at(2000)}>; the number of legs was verified at <${at(2000)}>, and every field was read at <${at(1000)}> or later`,
  );
});

test('a period before the first leg has the verification times of the first window, which includes all earlier times', async () => {
  const claims = claimsOf(await openMirror(folder), { to: 0 });
  expect(claims).toMatchObject({
    ...{ claim: { verified: true }, countsVerifiedAt: at(2000), contentsVerifiedAt: at(1000) },
  });
});

test('a period is unverified only if one of its windows must be read again', async () => {
  const earlier = await openMirror(folder);
  await addMark(folder, { why: 'integration.updated', at: at(3000), walletId: 'wal_1' });
  const mirror = await openMirror(folder);
  expect(claimsOf(earlier, {}).claim.verified).toBe(true);
  const { windows } = mirror.manifest.ledgers;
  const before = (windows.at(-1)?.from ?? 0) - 1;
  expect(claimsOf(mirror, { to: before }).claim.verified).toBe(true);
  expect(claimsOf(mirror, { to: last }).claim).toMatchObject({
    verified: false,
    why: 'windows of the mirror must be read again (integration.updated)',
  });
});
