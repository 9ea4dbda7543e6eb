import { readFileSync } from 'node:fs';
import { Agent } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { layoutFor } from '../../src/export/form.ts';
import { exportToFile } from '../../src/export/ledger-export.ts';
import { viewOf } from '../../src/formats/columns.ts';
import { LEDGER_COLUMNS } from '../../src/formats/ledger-columns.ts';
import { claimsOf } from '../../src/mirror/claims.ts';
import { copyOf } from '../../src/mirror/copy.ts';
import { openMirror } from '../../src/mirror/open.ts';
import { CALM, type LedgerServer, makeRows, seeded, startLedgerServer } from '../export/ledger-server.ts';
import { exportRequest } from '../export/request.ts';
import { mirrored } from './request.ts';
import { newFolder } from './support.ts';

const dispatcher = new Agent();
const random = seeded(9);
const folder = newFolder();
let server: LedgerServer;
beforeAll(async () => {
  server = await startLedgerServer(makeRows(700, 0.4, random), CALM, random);
  await mirrored(folder, { url: server.url, dispatcher });
});
afterAll(async () => {
  await server.close();
  await dispatcher.close();
});

/** The text of the file, and the manifest fields that must be the same in both exports. */
function written(path: string) {
  const { rows, columns, fieldsLeftOut, file } = JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8'));
  return {
    text: readFileSync(path, 'utf8'),
    ...{ rows, columns, fieldsLeftOut, sha256: file.sha256, bytes: file.bytes },
  };
}

test.each(['csv', 'jsonl'] as const)(
  'for any span, a %s export from a mirror is byte-identical to an export from the service',
  async (format) => {
    const times = server.rows.map(({ timestamp }) => timestamp).sort((a, b) => a - b);
    const layout = layoutFor({ format }, viewOf('UTC'), {
      columns: LEDGER_COLUMNS.csv,
      known: LEDGER_COLUMNS,
    });
    const mirror = await openMirror(folder);
    expect(mirror.manifest.ledgers.windows.length).toBeGreaterThan(8);
    const rows = [];
    for (let number = 0; number < 8; number++) {
      const [from, to] = [random(), random()]
        .map((part) => times[Math.floor(part * times.length)] ?? 0)
        .sort((a, b) => a - b);
      const span = number === 0 ? {} : { from: from ?? 0, to: to ?? 0 };
      const request = { ...exportRequest(server.url, dispatcher, { span }), layout };
      const [ours, theirs] = [`${newFolder()}.${format}`, `${newFolder()}.${format}`];
      await exportToFile(request, theirs, 'refuse');
      const { client: _, ...file } = request;
      const copy = copyOf(mirror, span, claimsOf(mirror, span));
      await exportToFile({ ...file, copy }, ours, 'refuse');
      expect(written(ours)).toEqual(written(theirs));
      rows.push(written(ours).rows);
    }
    expect(rows[0]).toBe(700);
    expect(new Set(rows).size).toBeGreaterThan(4);
  },
);
