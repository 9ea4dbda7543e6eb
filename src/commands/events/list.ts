import { keys } from '../../api/columns.ts';
import { anything, int, nullable, text } from '../../api/records.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { listOf, made } from '../../cli/output.ts';
import { instantOf } from '../../core/instant.ts';
import type { JsonRecord } from '../../core/json.ts';
import { checkDelivery } from '../../events/check.ts';
import { requireColumns } from '../../formats/column-check.ts';
import { type Columns, valueAt } from '../../formats/columns.ts';
import { chooseDeliveries, type Selected, selectionFlags } from './selection.ts';

const STORED = made({
  ...{ line: int, received: nullable(text), event: nullable(text), id: nullable(text) },
  ...{ workspaceId: anything, status: anything, envelope: anything },
});

export const listDeliveries = verb({
  name: 'list',
  summary: 'List stored webhook deliveries',
  about:
    'Lists the deliveries that "events listen" has stored. With --undelivered, the list contains only deliveries that were not forwarded. To check deliveries against the specification, use "events verify". To send deliveries again, use "events replay".',
  flags: { ...selectionFlags, columns: columnsFlagOf(() => COLUMNS) },
  examples: {
    "List today's failures": 'cryptodata events list --types integration.failed,costbasis.failed --period 1d',
    'Show one delivery': 'cryptodata events list --id whd_1 --json | jq .[0].envelope',
  },
  prints:
    'Records { line, received, event, id, workspaceId, status, envelope }, in stored order. "status" is the status of the account or the run. "envelope" is null if the body is not a JSON object.',
  output: [listOf(STORED)],
  exits: [0, 2, 5, 12, 130],
  async run(context, { columns, ...flags }) {
    requireColumns(columns ?? [], COLUMNS.csv);
    const { read, none, warnings, failed } = await chooseDeliveries(context, flags);
    return {
      kind: 'rows',
      rows: rowsOf(read()),
      columns: COLUMNS,
      none,
      notes: () => warnings,
      failed,
    };
  },
});

const COLUMNS: Columns = {
  table: [
    { key: 'received', header: 'time', moment: true, derive: ({ received }) => millisecondsOf(received) },
    { key: 'event' },
    { key: 'status', state: true },
    { key: 'id' },
    { key: 'workspaceId', header: 'workspace', drop: 1 },
    { key: 'line', figure: true, drop: 2 },
  ],
  csv: keys('line', 'received', 'event', 'id', 'workspaceId', 'status'),
};

async function* rowsOf(selected: AsyncIterable<Selected>): AsyncGenerator<JsonRecord> {
  for await (const { delivery, id, event, received } of selected) {
    const { envelope } = checkDelivery(delivery.body);
    yield {
      ...{ line: delivery.line, received, event, id },
      workspaceId: envelope?.['workspace_id'] ?? null,
      status: (envelope && valueAt(envelope, 'data.status')) ?? null,
      envelope: envelope ?? null,
    };
  }
}

/** A time that cannot be read is shown unchanged. */
function millisecondsOf(time: unknown): unknown {
  return instantOf(time) ?? time;
}
