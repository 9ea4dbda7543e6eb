import { list, openPaging } from './endpoint.ts';
import { text } from './filters.ts';

export const assets = list({
  path: '/v1/assets/search',
  noun: 'asset',
  nouns: 'assets',
  paging: openPaging,
  record: {},
  isOpen: true,
  // The specification names no other parameter.
  filters: { contractAddress: text('asset with this contract address', 'address') },
});
