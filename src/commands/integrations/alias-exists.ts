import { aliasExists as read } from '../../api/integrations.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { text, toggle } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import { parameterFlag, parametersOf } from '../../cli/parameters.ts';
import { CryptodataError } from '../../core/errors.ts';
import { openColumns } from '../../formats/open.ts';

export const aliasExists = verb({
  name: 'alias-exists',
  summary: 'Ask whether an alias is taken, before an account is connected under it',
  about: `An alias that is taken would be refused with 409 CONFLICT. The specification shows neither the name of the query parameter (alias, unless --parameter says otherwise) nor the form of the answer, which is printed as it comes. It says so plainly where it is true or false, alone or in a field whose name ends with "exists".`,
  operands: [{ written: '<name>', describe: 'the alias' }],
  flags: {
    parameter: text('--parameter <name>', 'name of the query parameter that carries the alias (alias)'),
    parameters: parameterFlag,
    exitCode: toggle(
      '--exit-code',
      'end with 10 where the alias is taken, and with 9 where the answer does not say it plainly',
    ),
  },
  examples: [
    { says: 'Is it free?', line: 'cryptodata integrations alias-exists "Main account"' },
    {
      says: 'In a script',
      line: 'cryptodata integrations alias-exists "Main account" --exit-code --quiet > /dev/null && echo free',
    },
  ],
  prints: 'The answer as it comes, as one record. On stderr: what it says.',
  exits: [...SERVICE_EXITS, 10].sort((a, b) => a - b),
  reads: true,
  async run(context, { parameter, parameters, exitCode }, [alias = '']) {
    const client = await context.client();
    const record = await client.integrations.aliasExists(alias, {
      parameter,
      extra: parametersOf(parameters),
    });
    const taken = read(record);
    const says: Note =
      taken === undefined
        ? { text: 'The answer does not say plainly whether the alias is taken.', warning: true }
        : { text: taken ? 'The alias is taken.' : 'The alias is free.' };
    return {
      kind: 'record',
      record,
      columns: openColumns,
      notes: () => (exitCode && taken === undefined ? [] : [says]),
      found: () => (exitCode && taken ? 1 : 0),
      failed: () => (exitCode && taken === undefined ? unclear() : undefined),
    };
  },
});

/** 0 would be taken for a free alias. */
function unclear(): CryptodataError {
  return new CryptodataError(
    'service',
    'UNCLEAR_ANSWER',
    'The answer does not say plainly whether the alias is taken',
    { hint: 'Read it without --exit-code. Another name of the parameter: --parameter NAME.' },
  );
}
