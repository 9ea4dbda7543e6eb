import { REGISTER } from '../../core/scopes.ts';

/** For the help of both lists ("Scopes", rules 1 and 2). */
export const SCOPE = `The scope contacts:read is outside the default set, and asking for it at login (cryptodata login --scopes +contacts:read) is not enough: the client must be registered with it first (${REGISTER}). Until then the service answers 403 insufficient_scope.`;
