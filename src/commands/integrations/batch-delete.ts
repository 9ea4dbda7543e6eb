import { batchDelete as declared } from '../../api/integrations.ts';
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
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';

export const batchDeleteVerb = verb({
  name: 'batch-delete',
  summary: 'Delete connected accounts and list the failures',
  about: `The specification does not describe the request body. The command sends { "NAME": ["ID", …] }, where NAME is the value of --field or of the setting batch_delete_field. Look for the name in the documentation of the service, or ask its support. To send another body, use -d.

The command asks for confirmation and sends the request once. Deletion takes time. While an account is being deleted, its status is DELETING. To wait for the deletion, use integrations wait.

If some accounts cannot be deleted, the command lists these accounts with the reasons and exits with 11. If the response has no "failed" list, the command exits with 12.`,
  operands: [{ written: '[id...]', describe: 'account ids (walletId in the output of integrations list)' }],
  flags: {
    field: textFlag(
      '--field <name>',
      'name of the request field that contains the ids (setting: batch_delete_field)',
    ),
    data: textFlag('-d, --data <json>', 'the whole body instead of ids; @FILE reads a file, - reads stdin'),
    ...writeFlags,
  },
  examples: {
    'Save the name of the field, then delete two accounts':
      'cryptodata config set batch_delete_field NAME && cryptodata integrations batch-delete ID ID',
    'Preview the request': 'cryptodata integrations batch-delete ID --field NAME --dry-run',
    'Delete from a script, then wait for the deletion':
      'cryptodata integrations batch-delete ID ID --field NAME --yes && cryptodata integrations wait ID ID',
  },
  prints:
    "The service's response as one record. It contains each account that could not be deleted, with the reason.\nOn stderr: the number of accepted deletions.",
  output: [oneOf(served({}))],
  exits: [...SERVICE_EXITS, 5, 6, 11, 12],
  async run(context, { field, data, yes, dryRun: dry }, given) {
    const ids = [...new Set(given)];
    const body = await bodyOf(context, ids, field, data);
    if (dry) return dryRun(context, requestTo(declared, { body }));
    const count = data === undefined ? ids.length : countIn(body);
    const named = count === undefined ? 'the connected accounts in the JSON' : countAccounts(count);
    const client = await context.client();
    const flags = await legFlags(context, {});
    if (!(await confirmed(context, `Delete ${named}?`, yes))) {
      return { kind: 'silent', notes: () => [{ text: 'Nothing was deleted.' }] };
    }
    return reportWrite(client.integrations.batchDelete(body), {
      field: 'failed',
      done: `The service accepted the deletion of ${named}.`,
      failed: (failed) =>
        `${count === undefined ? countAccounts(failed) : `${failed} of ${countAccounts(count)}`} could not be deleted`,
      hint: `The result above lists every failed account. To see the state of each account: cryptodata sync status${flags}.`,
      known: async () => (await Accounts.read(context)).byId,
    });
  },
});

async function bodyOf(
  context: Context,
  ids: readonly string[],
  field: string | undefined,
  data: string | undefined,
): Promise<unknown> {
  if (data !== undefined) {
    if (ids.length > 0 || field !== undefined) {
      throw usageError('-d cannot be combined with ids or --field', 'Put the ids into the JSON, or omit -d.');
    }
    return readDataFlag(context, data);
  }
  if (ids.length === 0) {
    throw usageError(
      'No account ids were given',
      `Pass one or more ids (walletId). List them with: cryptodata integrations list${await legFlags(context, {})}`,
    );
  }
  const settings = await context.settings();
  const name = field ?? settings.get('batch_delete_field');
  if (name !== undefined) return { [name]: ids };
  throw usageError(
    'The name of the field that contains the ids is not set',
    `Pass --field NAME, or save the name:\n  cryptodata config set batch_delete_field NAME${settings.profileGiven}\nThe specification does not define the name. Look in the documentation of the service, or ask its support.\nFor any other body, use -d JSON.`,
    'MISSING_SETTING',
  );
}

/** Returns the length of the list if the body contains exactly one list; otherwise undefined. */
function countIn(body: unknown): number | undefined {
  const lists = (isRecord(body) ? Object.values(body) : [body]).filter(Array.isArray);
  return lists.length === 1 ? lists[0]?.length : undefined;
}
