// Spec: Integration (legacy public list object). Converts providers from the catalogue to the format of the legacy API.

import type { CatalogueProvider } from './catalogue.ts';

const EVM = new Set(
  'ethereum polygon arbitrumone optimism base bnbsmartchain avalanchecchain gnosischain zksyncera fantom'.split(
    ' ',
  ),
);

export function publicIntegration(provider: CatalogueProvider) {
  const { id, name, publicName, type, importMethods } = provider;
  const imports = (...methods: string[]) => methods.some((method) => importMethods.includes(method));
  const aggregatorId = provider.metadata?.['aggregatorId'];
  return {
    id,
    name,
    publicName,
    logo: provider.logo ?? '',
    type: type === 'service' ? 'services' : type,
    isAPI: imports('api', 'address'),
    isCSV: imports('csv'),
    isOAuth: imports('oauth'),
    isEVM: EVM.has(id),
    isWorking: provider.isWorking,
    ...(typeof aggregatorId === 'number' ? { communityId: aggregatorId } : {}),
    importGuide: guide(provider),
    functions: (provider.functions ?? []).map((entry) => ({
      name: entry.name,
      publicName: entry.public_name,
    })),
    ...(type === 'exchange' && provider.integrationInfo !== null
      ? { integrationInfo: { apiKeyRequired: true, apiSecretRequired: true } }
      : {}),
    ...(type === 'wallet' ? { walletLimitations: provider.walletLimitations } : {}),
  };
}

function guide({ publicName, importMethods }: CatalogueProvider): string {
  if (importMethods.includes('address')) return `Paste the public address that ${publicName} shows.`;
  if (importMethods.includes('api')) return `Create a read-only API key at ${publicName} and paste it.`;
  return `Export your history from ${publicName} as CSV and upload the file.`;
}
