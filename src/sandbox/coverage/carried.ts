export const CARRIED: Readonly<Record<string, readonly string[]>> = {};
