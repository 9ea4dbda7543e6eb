import { openList } from './endpoint.ts';

export const contacts = openList({
  path: '/v1/contacts',
  scope: 'contacts:read',
  noun: 'contact',
  nouns: 'contacts',
});

/** The service has no endpoint that returns a single counter-party. */
export const counterParties = openList({
  path: '/v1/counter-parties',
  scope: 'contacts:read',
  noun: 'counter-party',
  nouns: 'counter-parties',
});
