import { joined, provider, providers } from '../../api/providers.ts';
import { functionHealth, outage } from '../../app/health.ts';
import { columnsFlagOf, sameColumns } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import type { Part } from '../../cli/outcome.ts';
import { oneOf, served } from '../../cli/output.ts';
import { isRecord, type JsonRecord } from '../../core/json.ts';
import type { Column } from '../../formats/columns.ts';
import { checkId } from '../../read/pages.ts';

export const getProvider = verb({
  name: 'get',
  summary: 'Show one provider: credentials, capabilities, connector health',
  about: `The state of a connector function is operational, degraded or unknown. If a base function is degraded, the provider has a full outage. If only other functions are degraded, the provider has a partial outage. The state is unknown if a function is neither enabled nor operational.`,
  operands: [
    {
      written: '<id>',
      describe: 'provider id (see "cryptodata providers list")',
      listedBy: 'cryptodata providers --all',
    },
  ],
  flags: { columns: columnsFlagOf(() => providers.columns) },
  examples: {
    'Show the required credentials': 'cryptodata providers get PROVIDER_ID',
    'List the credential field names':
      'cryptodata providers get PROVIDER_ID --json | jq -r ".credentialFields | keys[]"',
  },
  prints:
    'One provider: its fields, credential fields, capabilities and connector functions (table), or the unchanged record (json).',
  output: [oneOf(served(provider.record))],
  exits: [0, 2, 5, 8, 9, 12, 13, 130],
  reads: true,
  async run(context, { columns }, [id = '']) {
    const client = await context.client();
    const record: JsonRecord = await client.providers.getAsServed(id);
    checkId(provider, id, record);
    const parts = [credentialFields(record), capabilities(record), chains(record), functions(record)];
    return {
      kind: 'record',
      record,
      columns: { table: HEAD, csv: providers.columns.csv },
      ...(columns ? {} : { parts: parts.filter((part) => part !== undefined) }),
    };
  },
});

const HEAD: readonly Column[] = [
  { key: 'publicName', header: 'name' },
  { key: 'id' },
  { key: 'slug' },
  { key: 'type' },
  { key: 'description' },
  { key: 'featured' },
  { key: 'isWorking', header: 'working' },
  { key: 'outage', derive: outage },
  { key: 'importMethods', header: 'import by', derive: ({ importMethods }) => joined(importMethods) },
  { key: 'createdAt', header: 'created' },
  { key: 'updatedAt', header: 'updated' },
];

/** Shows all credential fields, because the specification does not limit their names. */
function credentialFields({ credentialFields }: JsonRecord): Part | undefined {
  if (!isRecord(credentialFields) || Object.keys(credentialFields).length === 0) return undefined;
  const rows = Object.entries(credentialFields).map(([field, definition]) => ({
    field,
    ...(isRecord(definition) ? definition : { label: definition }),
  }));
  return {
    title: 'Credential fields',
    rows,
    columns: sameColumns('field', 'required', 'type', 'label', 'placeholder'),
  };
}

function capabilities({ capabilities }: JsonRecord): Part | undefined {
  if (!isRecord(capabilities)) return undefined;
  const rows = Object.entries(capabilities).map(([capability, supported]) => ({ capability, supported }));
  return rows.length === 0
    ? undefined
    : {
        title: 'Capabilities (unlisted capabilities are not supported)',
        rows,
        columns: sameColumns('capability', 'supported'),
      };
}

function chains({ walletSupportedChains }: JsonRecord): Part | undefined {
  if (!Array.isArray(walletSupportedChains) || walletSupportedChains.length === 0) return undefined;
  return {
    title: 'Supported chains',
    rows: walletSupportedChains.filter(isRecord),
    columns: sameColumns('id', 'onlyManual'),
  };
}

function functions({ functions }: JsonRecord): Part | undefined {
  if (!Array.isArray(functions) || functions.length === 0) return undefined;
  return {
    title: 'Connector functions',
    rows: functions.filter(isRecord),
    columns: sameColumns(
      { key: 'name' },
      { key: 'public_name', header: 'shown as' },
      { key: 'is_base', header: 'base' },
      { key: 'health', derive: functionHealth },
      { key: 'categories', derive: ({ categories }) => joined(categories) },
    ),
  };
}
