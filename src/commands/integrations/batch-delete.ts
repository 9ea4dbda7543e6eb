import { CryptodataError, usageError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { batchDeleteRequest } from '../../client/resources/integrations.ts';
import type { Context } from '../../context.ts';
import { SERVICE_EXITS } from '../../exits.ts';
import { verb } from '../define.ts';
import { text } from '../flags.ts';
import { answerWith, failuresIn } from '../partial.ts';
import { confirmed, dryRun, writeFlags } from '../writes.ts';
import { givenData } from './data.ts';

export const batchDelete = verb({
  name: 'batch-delete',
  summary: 'Delete connected accounts, and check which could not be',
  about: `The form of the body is not specified. With --field NAME, or the setting batch_delete_field, { "NAME": ["ID", …] } is sent; -d sends any other body in its place.

It asks first, and is sent once. The removal itself takes its time (status DELETING): integrations wait follows it.`,
  operands: [{ written: '[id...]', describe: 'ids of the accounts: walletId in integrations list' }],
  flags: {
    field: text('--field <name>', 'field of the body that holds the ids (batch_delete_field)'),
    data: text('-d, --data <json>', 'the whole body, in the place of ids; @FILE for a file, - for stdin'),
    ...writeFlags,
  },
  examples: [
    {
      says: 'Name the field once, then delete',
      line: 'cryptodata config set batch_delete_field NAME && cryptodata integrations batch-delete ID ID',
    },
    {
      says: 'Look first',
      line: 'cryptodata integrations batch-delete ID --field NAME --dry-run',
    },
    {
      says: 'From a script, and wait until they are gone',
      line: 'cryptodata integrations batch-delete ID ID --field NAME --yes && cryptodata integrations wait ID ID',
    },
  ],
  prints:
    'What the service answers, as one record, and what failed item by item.\nOn stderr: how many were taken.',
  exits: [...SERVICE_EXITS, 5, 6, 11].sort((a, b) => a - b),
  async run(context, { field, data, yes, dryRun: dry }, given) {
    const ids = [...new Set(given)];
    const body = await bodyOf(context, ids, field, data);
    if (dry) return dryRun(context, batchDeleteRequest(body));
    const count = data === undefined ? ids.length : countIn(body);
    const client = await context.client();
    if (!(await confirmed(context, `Delete ${accounts(count)}?`, yes))) {
      return { kind: 'silent', notes: () => [{ text: 'Nothing was deleted.' }] };
    }
    const record = await client.integrations.batchDelete(body);
    const failed = failuresIn(record);
    return {
      ...answerWith(record, 'failed'),
      notes: () => (failed === 0 ? [{ text: `The service took the deletion of ${accounts(count)}.` }] : []),
      failed: () => (failed === 0 ? undefined : notDeleted(failed, count)),
    };
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
      throw usageError(
        '-d is the whole body: ids and --field go without it',
        'Give the ids in the JSON, or leave -d out.',
      );
    }
    return givenData(context, data);
  }
  if (ids.length === 0) {
    throw usageError(
      'No account is named',
      'Name one or more: the ids are in the field walletId of cryptodata integrations list.',
    );
  }
  const name = field ?? (await context.settings()).get('batch_delete_field');
  if (name !== undefined) return { [name]: ids };
  throw usageError(
    'The field of the body that holds the ids is not known',
    'The specification of the service does not show it. Say it for once with --field NAME, or for good:\n  cryptodata config set batch_delete_field NAME\nAny other form of body: -d JSON.',
    'MISSING_SETTING',
  );
}

/** Of a body whose form nobody knows: the length of the only list in it. */
function countIn(body: unknown): number | undefined {
  const lists = (isRecord(body) ? Object.values(body) : [body]).filter(Array.isArray);
  return lists.length === 1 ? lists[0]?.length : undefined;
}

function accounts(count: number | undefined): string {
  if (count === undefined) return 'the connected accounts of the JSON';
  return count === 1 ? '1 connected account' : `${count.toLocaleString('en')} connected accounts`;
}

function notDeleted(failed: number | bigint, count: number | undefined): CryptodataError {
  const of = count === undefined ? '' : ` of ${count.toLocaleString('en')}`;
  return new CryptodataError('partial', 'PARTIAL_FAILURE', `${failed}${of} could not be deleted`, {
    hint: 'They are listed in the answer above. How they are now: cryptodata sync status.',
  });
}
