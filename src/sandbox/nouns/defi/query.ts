// Query parameters of GET /v0/defi-holdings.

import { type RawQuery, readQuery } from '../../http/parameters.ts';

const MAX_LIMIT = 1000;

export function readDefiQuery(raw: RawQuery) {
  return readQuery(raw, ({ text, whole, flag }) => {
    return {
      docId: text('docId'),
      // The specification does not define the default, so the sandbox uses the maximum.
      limit: whole('limit', MAX_LIMIT, 1, MAX_LIMIT),
      sortByHighestValue: flag('sortByHighestValue') ?? true,
    };
  });
}
