import { type Join, openList } from './endpoint.ts';

export const spamJoin: Join = { fields: ['assetId', 'id'], matches: 'assetId of a leg' };

export const spam = openList({ path: '/v1/spam', noun: 'spam asset', nouns: 'spam assets', join: spamJoin });
