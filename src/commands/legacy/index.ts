import type { NounVerbs } from '../../cli/define.ts';
import { listLegacyDefi } from './defi.ts';
import { listLegacyIntegrations } from './integrations.ts';
import { listLegacyHoldings, listLegacyNfts, listLegacyProviders } from './lists.ts';
import { post } from './post.ts';
import { renames } from './renames.ts';
import { userinfo } from './userinfo.ts';

export const noun: NounVerbs = {
  about:
    'The legacy API has its own addresses (legacy_base_url, legacy_public_url). Each request needs either an access token with the client id and secret, or an enterprise API key.',
  verbs: [
    listLegacyProviders,
    listLegacyIntegrations,
    listLegacyHoldings,
    userinfo,
    listLegacyNfts,
    listLegacyDefi,
    post,
    renames,
  ],
  sends: true,
};
