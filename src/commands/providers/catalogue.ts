import { textOf } from '../../api/ledgers.ts';
import type { Client } from '../../client/client.ts';
import { isRecord } from '../../core/json.ts';
import type { Named } from '../../core/nearest.ts';

/** The ids and names of all providers in the public catalogue. */
export async function catalogueOf(client: Client, signal: AbortSignal): Promise<Named[]> {
  const found: Named[] = [];
  for await (const record of client.providers.list({}, { signal }).asServed()) {
    if (!isRecord(record)) continue;
    const { id, publicName, name, slug } = record;
    found.push({
      value: textOf(id),
      names: [publicName, name, slug].map(textOf).filter((text) => text !== ''),
    });
  }
  return found;
}
