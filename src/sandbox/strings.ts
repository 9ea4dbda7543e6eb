/** Every string in a JSON value: where the spec shows no shape, what a body names is found wherever it stands. */
export function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}
