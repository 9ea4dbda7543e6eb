import { openList } from './endpoint.ts';

export const labels = openList({ path: '/v1/labels', noun: 'label', nouns: 'labels' });
