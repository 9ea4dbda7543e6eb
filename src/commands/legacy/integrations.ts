import { legacyIntegrations } from '../../api/legacy.ts';
import { requireCredential } from '../../app/credential.ts';
import { checkedList, columnsOf, listFlags } from '../../app/list-verb.ts';
import { showList } from '../../app/lists.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { LIST_EXITS } from '../../cli/exits.ts';
import { listOf, served } from '../../cli/output.ts';
import { listParametersOf } from '../../cli/parameters.ts';

export const integrations = verb({
  name: 'integrations',
  summary: 'List connected wallets and their ids',
  about:
    'Pass an id to "cryptodata legacy post" with --wallet-id. The endpoint needs an enterprise API key (CRYPTODATA_API_KEY). The access token of a login is refused.',
  flags: {
    all: listFlags.all,
    parameters: listFlags.parameters,
    columns: columnsFlagOf(() => columnsOf(legacyIntegrations)),
  },
  examples: [
    { says: 'List all wallets', line: 'cryptodata legacy integrations' },
    {
      says: 'Print the id of one wallet, for a script',
      line: `cryptodata legacy integrations --json | jq -r '.[] | select(.name == "Kraken") | .walletId'`,
    },
  ],
  prints: 'Records { walletId, name, type, address }, as served (json, jsonl).',
  output: [listOf(served(legacyIntegrations.record))],
  exits: LIST_EXITS,
  reads: true,
  async run(context, { all, parameters, columns }) {
    await requireCredential(context, legacyIntegrations, 'Listing connected wallets');
    const client = await context.client();
    const query = { extra: listParametersOf(parameters) };
    return showList(context, {
      ...(await checkedList(context, legacyIntegrations, query, client.legacy.integrations)),
      all: all === true,
      limit: undefined,
      columns: columnsOf(legacyIntegrations),
      chosen: columns,
    });
  },
});
