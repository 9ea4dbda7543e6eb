import { single } from './endpoint.ts';
import { type RecordOf, required, text } from './records.ts';

/** The specification lists only this field of a user. */
const record = {
  /** The stable user id, which equals the claim `sub` of userinfo. */
  uid: required(text),
};
export type User = RecordOf<typeof record>;

export const user = single({ path: '/v1/users/me', noun: 'user', record });
