import { testCredentials as declared } from '../../api/integrations.ts';
import { dryRun, writeFlags } from '../../app/writes.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { textFlag } from '../../cli/flags.ts';
import { readDataFlag } from '../../cli/json-input.ts';
import { oneOf, served } from '../../cli/output.ts';
import { requestTo } from '../../client/request.ts';
import { isRecord } from '../../core/json.ts';
import { openColumns } from '../../formats/open.ts';

export const testCredentialsVerb = verb({
  name: 'test-credentials',
  summary: 'Test credentials before you connect an account',
  about: `The specification does not describe the request body, so your JSON is sent unchanged. To list the fields of a provider, use providers get ID. The service passes the credentials to the provider; nothing is stored or changed.

Pass credentials in a file that only you can read, or on stdin. Credentials on the command line are visible to other programs and saved in the shell history.`,
  flags: {
    data: textFlag('-d, --data <json>', 'JSON to send; @FILE reads a file, - reads stdin (default: -)'),
    dryRun: writeFlags.dryRun,
  },
  examples: {
    'Read the credentials from a password manager':
      'pass show exchange.json | cryptodata integrations test-credentials',
    'Read the credentials from a file': 'cryptodata integrations test-credentials -d @credentials.json',
    'Preview the request with masked values':
      'cryptodata integrations test-credentials -d @credentials.json --dry-run',
  },
  prints: "The service's response, as one record. The command exits with 7 if the credentials are rejected.",
  output: [oneOf(served({}))],
  exits: [...SERVICE_EXITS, 6],
  async run(context, { data = '-', dryRun: dry }) {
    if (!data.startsWith('@') && data !== '-') {
      context.say(
        'warning: other programs can see credentials on the command line, and the shell saves them in its history. Use -d @FILE or stdin.',
      );
    }
    const given = await readDataFlag(context, data);
    const body = dry || context.curl ? masked(given) : given;
    if (dry) return dryRun(context, requestTo(declared, { body }));
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

/** Masks all strings and numbers, because each of them may be a secret. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (!isRecord(value)) return value === null || typeof value === 'boolean' ? value : '***';
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, masked(member)]));
}
