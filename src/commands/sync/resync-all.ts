import { resyncAll as declared } from '../../api/integrations.ts';
import { Accounts, countAccounts } from '../../app/accounts.ts';
import { legFlags } from '../../app/leg-flags.ts';
import { reportWrite } from '../../app/partial.ts';
import { confirmed, dryRun, writeFlags } from '../../app/writes.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { textFlag } from '../../cli/flags.ts';
import { readDataFlag } from '../../cli/json-input.ts';
import { oneOf, served } from '../../cli/output.ts';
import { requestTo } from '../../client/request.ts';
import { isoText } from '../../formats/moments.ts';

export const resyncAllVerb = verb({
  name: 'resync-all',
  summary: 'Start syncs of all connected accounts, and list the failures',
  about: `The command asks for confirmation and sends the request once. The specification does not define a request body; use -d to send a body. To follow the syncs, run cryptodata integrations wait --synced-since TIME.

If an account fails, the syncs of the other accounts still start. The command lists each failed account with the reason, and exits with 11. INACTIVE accounts always fail, so a script must accept the exit code 11. If the response does not contain the list "failed", the command exits with 12.`,
  flags: {
    data: textFlag('-d, --data <json>', 'request body; @FILE reads a file, - reads stdin'),
    ...writeFlags,
  },
  examples: {
    'Preview the request': 'cryptodata sync resync-all --dry-run',
    'Start all syncs from a script, and wait until they finish':
      'start=$(date -u +%Y-%m-%dT%H:%M:%SZ); cryptodata sync resync-all --yes || [ $? -eq 11 ] && cryptodata integrations wait --synced-since "$start" --timeout 30m',
  },
  prints:
    "One record: the service's response. A table also lists each failed account with its name and the reason.",
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
    const flags = await legFlags(context, {});
    const outcome = await reportWrite(client.integrations.resyncAll(body), {
      field: 'failed',
      done: 'The service accepted the request; no account failed.',
      failed: (count) => `No sync was started for ${countAccounts(count)}`,
      hint: `The result above lists every failed account. Show the status of each account with: cryptodata sync status${flags}`,
      known: async () => (await Accounts.read(context)).byId,
    });
    const notes = outcome.notes?.() ?? [];
    const follow = `Follow the syncs with: cryptodata integrations wait --synced-since ${isoText(start)}${flags}`;
    return {
      ...outcome,
      notes: () => [...notes, { text: follow, isCommand: true }],
    };
  },
});
