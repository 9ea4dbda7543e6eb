import { type Join, openList } from './endpoint.ts';

/** If a record has none of these fields, any of its texts may be the label. */
export const labelJoin: Join = { fields: ['name', 'label', 'title', 'value'], matches: 'label of a leg' };

export const labels = openList({ path: '/v1/labels', noun: 'label', nouns: 'labels', join: labelJoin });
