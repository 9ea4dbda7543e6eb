import { readAliasExists as read } from '../../api/integrations.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { textFlag, toggle } from '../../cli/flags.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import { oneOf, served } from '../../cli/output.ts';
import { parameterFlag, parametersOf } from '../../cli/parameters.ts';
import { type CryptodataError, UpstreamError } from '../../core/errors.ts';
import { openColumns } from '../../formats/open.ts';

export const aliasExistsVerb = verb({
  name: 'alias-exists',
  summary: 'Check whether an account alias is taken',
  about: `Connecting an account fails (409 CONFLICT) if another account already has the same alias. The specification describes neither the query parameter nor the response. The response is printed unchanged. The command recognises two forms of response: a bare true or false, and a field whose name ends with "exists".`,
  operands: [{ written: '<name>', describe: 'alias to check' }],
  flags: {
    parameter: textFlag('--parameter <name>', 'name of the query parameter (default: alias)'),
    parameters: parameterFlag,
    exitCode: toggle(
      '--exit-code',
      'exit with 10 if the alias is taken, and with 9 if the response is unclear',
    ),
  },
  examples: {
    'Check whether an alias is free': 'cryptodata integrations alias-exists "Main account"',
    'Check an alias in a script':
      'cryptodata integrations alias-exists "Main account" --exit-code --quiet > /dev/null && echo free',
  },
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
        ? warning('The response does not clearly show whether the alias is taken.')
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

/** After an unclear response, exit code 0 would falsely mean that the alias is free. */
function unclear(): CryptodataError {
  return new UpstreamError(
    'UNCLEAR_ANSWER',
    'The response does not clearly show whether the alias is taken',
    {
      hint: 'To see the response, omit --exit-code. Or try another query parameter: --parameter NAME.',
    },
  );
}
