// GET /_sandbox/data returns the names of the files with the current data. GET /_sandbox/data/FILE returns one of these files.
// If you save all files in one directory, you can pass that directory to `--data`. The files contain no secrets.

import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { LegBooks } from '../books/index.ts';
import { refuseOauth } from '../http/errors.ts';
import { objectText, sendText } from '../http/lists.ts';
import { holdingJson, totalValue } from '../nouns/holdings/format.ts';
import type { TokenHolding } from '../nouns/holdings/store.ts';
import type { IntegrationStore } from '../nouns/integrations/store.ts';
import { type Given, jsonOf, type Resources } from './resources.ts';

interface DataParts {
  readonly ledgers: Pick<LegBooks, 'book' | 'json'>;
  readonly integrations: Pick<IntegrationStore, 'list'>;
  readonly holdings: readonly TokenHolding[];
  readonly resources: Resources;
  /** Whether `resources` are example records. */
  readonly example: boolean;
}

const LEDGERS = 'ledgers.jsonl';

export function routeDataControl(
  app: FastifyInstance,
  { ledgers, integrations, holdings, resources, example }: DataParts,
): void {
  const files = new Map<string, () => string>([
    ['integrations.json', () => jsonOf(integrations.list())],
    [
      'holdings.json',
      () =>
        objectText({ data: `[${holdings.map(holdingJson).join(',')}]`, totalValue: totalValue(holdings) }),
    ],
  ]);
  for (const [name, given] of resources) {
    if (name !== 'ledgers' && name !== 'integrations') files.set(`${name}.json`, () => textOf(name, given));
  }

  app.get('/_sandbox/data', (_request, reply) =>
    reply.send({
      files: [LEDGERS, ...files.keys()].sort(),
      ...(example ? { example: [...resources.keys()].sort() } : {}),
    }),
  );
  app.get<{ Params: { file: string } }>('/_sandbox/data/:file', (request, reply) => {
    const { file } = request.params;
    if (file === LEDGERS) {
      return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(lines(ledgers)));
    }
    const text = files.get(file);
    return text === undefined ? refuseOauth(404, 'not_found', 'No such file') : sendText(reply, text());
  });
}

/** All ledgers as JSON, oldest first. Joins lines into batches, because a stream of single lines is slow. */
function* lines({ book, json }: DataParts['ledgers']): Generator<string> {
  const { version, columns } = book;
  const { size } = columns;
  for (let start = 0; start < size; start += BATCH) {
    // Abort the download, because a file with a missing row would look complete.
    if (book.version !== version) throw new Error('The ledgers changed during the download');
    const rows = Array.from({ length: Math.min(BATCH, size - start) }, (_, at) => json(start + at));
    yield `${rows.join('\n')}\n`;
  }
}

const BATCH = 500;

function textOf(name: string, { values, extras }: Given): string {
  if (name === 'defi-totals') return jsonOf(values[0]);
  return Object.keys(extras).length === 0 ? jsonOf(values) : objectText({ data: jsonOf(values), ...extras });
}
