import { resyncAll as declared } from '../../api/integrations.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { text } from '../../cli/flags.ts';
import { readDataFlag } from '../../cli/json-input.ts';
import { oneOf, served } from '../../cli/output.ts';
import { requestTo } from '../../client/service.ts';
import { isoText } from '../../formats/moments.ts';
import { countAccounts, knownAccounts } from '../accounts.ts';
import { reportWrite } from '../partial.ts';
import { confirmed, dryRun, writeFlags } from '../writes.ts';

export const resyncAll = verb({
  name: 'resync-all',
  summary: 'Start a sync of every connected account and list failures',
  about: `The command asks for confirmation and sends the request once. The specification does not define a body; use -d to send one. Follow the syncs with integrations wait --synced-since TIME.

If some accounts fail, the syncs of all other accounts still start. The command lists the failed accounts with the reasons, and exits with 11. An INACTIVE account always fails, so a script must accept 11. If the response has no list of failures (failed), the command exits with 12.`,
  flags: {
    data: text('-d, --data <json>', 'request body; @FILE reads a file, - reads stdin'),
    ...writeFlags,
  },
  examples: [
    { says: 'Preview the request', line: 'cryptodata sync resync-all --dry-run' },
    {
      says: 'Start syncs from a script, accept accounts that cannot sync, and wait for the others',
      line: 'start=$(date -u +%Y-%m-%dT%H:%M:%SZ); cryptodata sync resync-all --yes || [ $? -eq 11 ] && cryptodata integrations wait --synced-since "$start" --timeout 30m',
    },
  ],
  prints: "One record: the service's response, and each failed account with its name and reason.",
  output: [oneOf(served({}))],
  exits: [...SERVICE_EXITS, 11, 12],
  async run(context, { data, yes, dryRun: dry }) {
    const body = data === undefined ? undefined : await readDataFlag(context, data);
    if (dry) return dryRun(context, requestTo(declared, { body }));
    const client = await context.client();
    if (!(await confirmed(context, 'Start a sync of every connected account?', yes))) {
      return { kind: 'silent', notes: () => [{ text: 'Nothing was started.' }] };
    }
    const start = context.now();
    const outcome = await reportWrite(client.integrations.resyncAll(body), {
      field: 'failed',
      done: 'The syncs are started.',
      failed: (count) => `The sync of ${countAccounts(count)} was not started`,
      hint: 'The result above lists every failed account. To see the state of each account: cryptodata sync status.',
      known: () => knownAccounts(client, context.signal),
    });
    const notes = outcome.notes?.() ?? [];
    const follow = `Follow the syncs: cryptodata integrations wait --synced-since ${isoText(start)}.`;
    return {
      ...outcome,
      notes: () => [...notes, { text: follow }],
    };
  },
});
