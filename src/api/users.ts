import { single } from './endpoint.ts';
import { type RecordOf, required, text } from './records.ts';

/** The specification lists no other field. */
const record = {
  /** The stable user id; equals `sub` of the userinfo claims. */
  uid: required(text),
};
export type User = RecordOf<typeof record>;

export const user = single({ path: '/v1/users/me', noun: 'user', record });
