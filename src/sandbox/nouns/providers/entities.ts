// Spec: Provider (current catalogue).

export type ProviderType = 'exchange' | 'blockchain' | 'wallet' | 'service' | 'aggregator';

export const PROVIDER_TYPES: readonly string[] = [
  'exchange',
  'blockchain',
  'wallet',
  'service',
  'aggregator',
];

export interface CatalogueCredential {
  readonly required: boolean;
  readonly type: 'string' | 'password' | 'boolean';
  readonly label: string;
  readonly placeholder?: string;
}

export interface CatalogueFunction {
  readonly name: string;
  readonly public_name: string;
  readonly is_base: boolean;
  readonly categories: readonly string[];
  readonly enabled: boolean;
  readonly operational: boolean;
}

export interface CatalogueProvider {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly publicName: string;
  readonly description: string | null;
  readonly type: ProviderType;
  readonly logo: string | null;
  readonly featured: boolean;
  readonly isWorking: boolean;
  readonly importMethods: readonly string[];
  readonly credentialFields: Readonly<Record<string, CatalogueCredential>>;
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly walletSupportedChains: readonly { id: string; onlyManual?: boolean }[] | null;
  readonly functions: readonly CatalogueFunction[] | null;
  readonly integrationInfo: Readonly<Record<string, unknown>> | null;
  readonly walletLimitations: Readonly<Record<string, unknown>> | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}
