import type { Columns } from '../../formats/columns.ts';

/** The fields of a provider in the order of the service's specification ("Provider"). */
export const PROVIDER_COLUMNS: Columns = {
  table: [
    { key: 'publicName', header: 'name' },
    { key: 'type' },
    { key: 'isWorking', header: 'working' },
    { key: 'featured' },
    { key: 'importMethods', header: 'import by', derive: ({ importMethods }) => joined(importMethods) },
    { key: 'id' },
  ],
  csv: [
    { key: 'id' },
    { key: 'slug' },
    { key: 'name' },
    { key: 'publicName' },
    { key: 'description' },
    { key: 'type' },
    { key: 'logo' },
    { key: 'featured' },
    { key: 'isWorking' },
    { key: 'importMethods' },
    { key: 'credentialFields' },
    { key: 'capabilities' },
    { key: 'walletSupportedChains' },
    { key: 'functions' },
    { key: 'integrationInfo' },
    { key: 'walletLimitations' },
    { key: 'metadata' },
    { key: 'createdAt' },
    { key: 'updatedAt' },
  ],
};

export function joined(value: unknown): unknown {
  return Array.isArray(value) ? value.join(', ') : value;
}
