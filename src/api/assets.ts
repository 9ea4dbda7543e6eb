import { list, openPaging } from './endpoint.ts';
import { text } from './filters.ts';

export const assets = list({
  path: '/v1/assets/search',
  noun: 'asset',
  nouns: 'assets',
  paging: openPaging,
  record: {},
  isOpen: true,
  // `contractAddress` is the only parameter that the specification lists.
  filters: { contractAddress: text('asset with this contract address', 'address') },
});
