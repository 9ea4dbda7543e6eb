// GET /_sandbox/data returns the names of the files with the current data. GET /_sandbox/data/FILE returns one of these files.
// If you save all files in one directory, you can pass that directory to `--data`. The files contain no secrets.

import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { refuseOauth } from '../http/errors.ts';
import { objectText, sendText } from '../http/lists.ts';
import { type Given, jsonOf, type Resources } from './resources.ts';

export interface DataControl {
  /** All ledgers as JSON, oldest first. */
  readonly ledgers: () => Iterable<string>;
  readonly integrations: () => readonly unknown[];
  /** The generated holdings; undefined if the user supplies holdings. */
  readonly holdings: (() => { readonly texts: readonly string[]; readonly totalValue: string }) | undefined;
  readonly resources: Resources;
  /** Whether `resources` are example records. */
  readonly example: boolean;
}

const LEDGERS = 'ledgers.jsonl';

export function routeDataControl(app: FastifyInstance, data: DataControl): void {
  const files = new Map<string, () => string>([
    ['integrations.json', () => jsonOf(data.integrations())],
    ...[...data.resources]
      .filter(([name]) => name !== 'ledgers' && name !== 'integrations')
      .map(([name, given]): [string, () => string] => [`${name}.json`, () => textOf(name, given)]),
  ]);
  const { holdings } = data;
  if (holdings !== undefined) {
    files.set('holdings.json', () => {
      const { texts, totalValue } = holdings();
      return objectText({ data: `[${texts.join(',')}]`, totalValue });
    });
  }

  app.get('/_sandbox/data', (_request, reply) =>
    reply.send({
      files: [LEDGERS, ...files.keys()].sort(),
      ...(data.example ? { example: [...data.resources.keys()].sort() } : {}),
    }),
  );
  app.get<{ Params: { file: string } }>('/_sandbox/data/:file', (request, reply) => {
    const { file } = request.params;
    if (file === LEDGERS) {
      return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(lines(data.ledgers())));
    }
    const text = files.get(file);
    return text === undefined ? refuseOauth(404, 'not_found', 'No such file') : sendText(reply, text());
  });
}

/** Joins lines into batches, because a stream of single lines is slow. */
function* lines(texts: Iterable<string>): Generator<string> {
  let batch: string[] = [];
  for (const text of texts) {
    batch.push(text);
    if (batch.length < 500) continue;
    yield `${batch.join('\n')}\n`;
    batch = [];
  }
  if (batch.length > 0) yield `${batch.join('\n')}\n`;
}

function textOf(name: string, { values, extras }: Given): string {
  if (name === 'defi-totals') return jsonOf(values[0]);
  return Object.keys(extras).length === 0 ? jsonOf(values) : objectText({ data: jsonOf(values), ...extras });
}
