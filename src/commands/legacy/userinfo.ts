import { legacyUser } from '../../api/legacy.ts';
import { requireCredential } from '../../app/credential.ts';
import { columnsFlag } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { oneOf, served } from '../../cli/output.ts';
import { parameterFlag, parametersOf } from '../../cli/parameters.ts';
import { openColumns } from '../../formats/open.ts';

export const userinfo = verb({
  name: 'userinfo',
  summary: 'Show the current user from the legacy API',
  about:
    'The specification does not define the fields. This command is superseded by "cryptodata whoami" and GET /v1/users/me.',
  flags: { parameters: parameterFlag, columns: columnsFlag },
  examples: {
    'Show the current user': 'cryptodata legacy userinfo',
  },
  prints: 'One record, as served.',
  output: [oneOf(served({}))],
  exits: SERVICE_EXITS,
  reads: true,
  async run(context, { parameters }) {
    await requireCredential(context, legacyUser, 'Showing the user from the legacy API');
    const client = await context.client();
    const record = await client.legacy.userinfo({ extra: parametersOf(parameters) });
    return { kind: 'record', record, columns: openColumns };
  },
});
