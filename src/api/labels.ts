import { type Join, openList } from './endpoint.ts';

/** The fields that may contain the text of a label. If a record has none of them, any text in the record may be the label. */
export const labelJoin: Join = { fields: ['name', 'label', 'title', 'value'], matches: 'label of a leg' };

export const labels = openList({ path: '/v1/labels', noun: 'label', nouns: 'labels', join: labelJoin });
