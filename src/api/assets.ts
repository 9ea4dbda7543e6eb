import { list, openPaging } from './endpoint.ts';
import { text } from './filters.ts';

export const assets = list({
  path: '/v1/assets/search',
  noun: 'asset',
  nouns: 'assets',
  paging: openPaging,
  record: {},
  isOpen: true,
  // The specification names this one alone.
  filters: { contractAddress: text('the asset of this contract', 'address') },
});
