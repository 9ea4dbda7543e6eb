import { testCredentials as declared } from '../../api/integrations.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { text } from '../../cli/flags.ts';
import { readJsonInput } from '../../cli/json-input.ts';
import { requestTo } from '../../client/service.ts';
import { isRecord } from '../../core/json.ts';
import { openColumns } from '../../formats/open.ts';
import { dryRun, writeFlags } from '../writes.ts';
import { givenData } from './data.ts';

export const testCredentials = verb({
  name: 'test-credentials',
  summary: 'Let the service try credentials before an account is connected with them',
  about: `The form of the body is not specified: the JSON is sent as it is. What a provider must be given: providers get ID. Nothing is stored or changed; the credentials go to the service, and to the provider through it.

Give them in a file that only you can read, or on stdin: other programs see what stands on the command line, and the shell keeps it.`,
  flags: {
    data: text('-d, --data <json>', 'the JSON to send; @FILE for a file, - for stdin (the default)'),
    dryRun: writeFlags.dryRun,
  },
  examples: [
    {
      says: 'From a password manager',
      line: 'pass show exchange.json | cryptodata integrations test-credentials',
    },
    { says: 'From a file', line: 'cryptodata integrations test-credentials -d @credentials.json' },
    {
      says: 'Look first: what would be sent, each value masked',
      line: 'cryptodata integrations test-credentials -d @credentials.json --dry-run',
    },
  ],
  prints: 'What the service answers, as one record. Rejected credentials are an error (exit 7).',
  exits: [...SERVICE_EXITS, 6].sort((a, b) => a - b),
  async run(context, { data = '-', dryRun: dry }) {
    if (!data.startsWith('@') && data !== '-') {
      context.say(
        'warning: What stands on the command line can be seen by other programs and is kept by the shell: use -d @FILE or stdin.',
      );
    }
    const body = data === '-' ? await readJsonInput(context, '-') : await givenData(context, data);
    if (dry) return dryRun(context, requestTo(declared, { body: masked(body) }));
    const client = await context.client();
    const record = await client.integrations.testCredentials(body);
    return {
      kind: 'record',
      record,
      columns: openColumns,
      notes: () => [{ text: 'The service did not reject the credentials.' }],
    };
  },
});

/** Every value could be a secret: nobody but the service knows which. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (!isRecord(value)) return value === null || typeof value === 'boolean' ? value : '***';
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, masked(member)]));
}
