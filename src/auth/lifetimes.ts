/** "Lifetimes" of the specification, constants of its contract; in milliseconds. */
export const ACCESS_TOKEN_LIFETIME = 24 * 3600 * 1000;
export const REFRESH_TOKEN_LIFETIME = 30 * 24 * 3600 * 1000;
