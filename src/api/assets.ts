import { list, openPaging } from './endpoint.ts';
import { textFilter } from './filters.ts';
import { hasText, isSameId } from './readings.ts';

export const assets = list({
  path: '/v1/assets/search',
  noun: 'asset',
  nouns: 'assets',
  paging: openPaging,
  record: {},
  isOpen: true,
  // `contractAddress` is the only parameter that the specification lists.
  filters: {
    contractAddress: textFilter('asset with this contract address', 'address', {
      known: { unchecked: 'the service searches all assets, not only those in the books' },
      // The specification lists no fields. An asset may have several contracts, and any field may contain an address.
      decides: (asset, address) =>
        hasText(asset, (text) => isSameId(text, address)) ||
        (typeof asset['contractAddress'] === 'string' ? false : undefined),
    }),
  },
});
