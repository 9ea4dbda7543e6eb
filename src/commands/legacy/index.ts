import type { Noun } from '../../cli/define.ts';
import { convertAnswer } from './convert.ts';
import { defi } from './defi.ts';
import { holdings } from './holdings.ts';
import { integrations } from './integrations.ts';
import { nfts } from './nfts.ts';
import { post } from './post.ts';
import { providers } from './providers.ts';
import { renames } from './renames.ts';
import { userinfo } from './userinfo.ts';

export const noun: Noun = {
  name: 'legacy',
  summary: 'The previous API: read it, post to it, and what became of it',
  about:
    'The previous API has addresses of its own (legacy_base_url, legacy_public_url) and wants the client id and secret beside the access token, or an enterprise API key.',
  verbs: [providers, integrations, holdings, userinfo, nfts, defi, post, renames, convertAnswer],
};
