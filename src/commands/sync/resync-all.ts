import { CryptodataError } from '../../base/errors.ts';
import { resyncAllRequest } from '../../client/resources/integrations.ts';
import { SERVICE_EXITS } from '../../exits.ts';
import { verb } from '../define.ts';
import { text } from '../flags.ts';
import { givenData } from '../integrations/data.ts';
import { answerWith, failuresIn } from '../partial.ts';
import { confirmed, dryRun, writeFlags } from '../writes.ts';

export const resyncAll = verb({
  name: 'resync-all',
  summary: 'Start a sync of every connected account, and check which could not be',
  about: `It asks first, and is sent once, with no body: none is specified, and -d sends one. Follow the syncs with integrations wait.`,
  flags: {
    data: text('-d, --data <json>', 'a body to send; @FILE for a file, - for stdin'),
    ...writeFlags,
  },
  examples: [
    { says: 'Look first', line: 'cryptodata sync resync-all --dry-run' },
    {
      says: 'From a script, to the end',
      line: 'cryptodata sync resync-all --yes && cryptodata integrations wait',
    },
  ],
  prints: 'What the service answers, as one record, and what failed item by item.',
  exits: [...SERVICE_EXITS, 11].sort((a, b) => a - b),
  async run(context, { data, yes, dryRun: dry }) {
    const body = data === undefined ? undefined : await givenData(context, data);
    if (dry) return dryRun(context, resyncAllRequest(body));
    const client = await context.client();
    if (!(await confirmed(context, 'Start a sync of every connected account?', yes))) {
      return { kind: 'silent', notes: () => [{ text: 'Nothing was started.' }] };
    }
    const record = await client.integrations.resyncAll(body);
    const failed = failuresIn(record);
    return {
      ...answerWith(record, 'failed'),
      notes: () => [
        ...(failed === 0 ? [{ text: 'The syncs are started.' }] : []),
        { text: 'Follow them: cryptodata integrations wait.' },
      ],
      failed: () => (failed === 0 ? undefined : notStarted(failed)),
    };
  },
});

function notStarted(failed: number | bigint): CryptodataError {
  const what = Number(failed) === 1 ? '1 account is' : `${failed.toLocaleString('en')} accounts are`;
  return new CryptodataError('partial', 'PARTIAL_FAILURE', `${what} not synced; the others are`, {
    hint: 'They are listed in the answer above. How they stand: cryptodata sync status.',
  });
}
