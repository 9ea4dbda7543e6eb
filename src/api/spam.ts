import { openList } from './endpoint.ts';

export const spam = openList({ path: '/v1/spam', noun: 'spam asset', nouns: 'spam assets' });
