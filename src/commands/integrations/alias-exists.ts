import { aliasExists as read } from '../../api/integrations.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { text, toggle } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import { oneOf, served } from '../../cli/output.ts';
import { parameterFlag, parametersOf } from '../../cli/parameters.ts';
import { type CryptodataError, UpstreamError } from '../../core/errors.ts';
import { openColumns } from '../../formats/open.ts';

export const aliasExists = verb({
  name: 'alias-exists',
  summary: 'Check whether the alias of an account is taken',
  about: `Connecting an account with an alias that is taken fails with 409 CONFLICT. The specification gives neither the query parameter nor the form of the response, which is printed unchanged. The command understands true or false, alone or in a field whose name ends with "exists".`,
  operands: [{ written: '<name>', describe: 'the alias' }],
  flags: {
    parameter: text('--parameter <name>', 'query parameter for the alias (default: alias)'),
    parameters: parameterFlag,
    exitCode: toggle(
      '--exit-code',
      'exit with 10 if the alias is taken, and with 9 if the response is unclear',
    ),
  },
  examples: [
    { says: 'Check whether an alias is free', line: 'cryptodata integrations alias-exists "Main account"' },
    {
      says: 'Check it in a script',
      line: 'cryptodata integrations alias-exists "Main account" --exit-code --quiet > /dev/null && echo free',
    },
  ],
  prints: 'The unchanged response, as one record.\nOn stderr: whether the alias is taken.',
  output: [oneOf(served({}))],
  exits: [...SERVICE_EXITS, 10],
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
        ? { text: 'The response does not clearly show whether the alias is taken.', warning: true }
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

/** An unclear answer must not exit with 0, which means a free alias. */
function unclear(): CryptodataError {
  return new UpstreamError(
    'UNCLEAR_ANSWER',
    'The response does not clearly show whether the alias is taken',
    {
      hint: 'Read the response without --exit-code, or try another --parameter NAME.',
    },
  );
}
