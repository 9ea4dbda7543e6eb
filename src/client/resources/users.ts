import type { Service } from '../service.ts';
import { parseUser, type User } from '../types.ts';

/** Who the credentials belong to. */
export class Users {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** `GET /v1/users/me`: a record with `uid`; the rest of it is not specified. */
  async me(signal?: AbortSignal): Promise<User> {
    return parseUser(await this.meAsServed(signal));
  }

  /** The record as it came, unchecked. */
  async meAsServed(signal?: AbortSignal) {
    return this.#service.record({ api: 'current', path: ['v1', 'users', 'me'], auth: true, signal });
  }
}
