/** Every value in a JSON value, itself first, however deep: no stack of calls is as deep as a body can be. */
export function* within(value: unknown): Generator<unknown> {
  const ahead = [value];
  while (ahead.length > 0) {
    const next = ahead.pop();
    yield next;
    if (typeof next !== 'object' || next === null) continue;
    for (const inner of Object.values(next).reverse()) ahead.push(inner);
  }
}

/** Every string in a JSON value: where the spec shows no shape, what a body names is found wherever it stands. */
export function strings(value: unknown): string[] {
  return [...within(value)].filter((inner) => typeof inner === 'string');
}
