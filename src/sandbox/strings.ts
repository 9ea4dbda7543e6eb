/** Yields a JSON value and every value in it. Not recursive, since a body can be nested deeper than the call stack. */
export function* within(value: unknown): Generator<unknown> {
  const ahead = [value];
  while (ahead.length > 0) {
    const next = ahead.pop();
    yield next;
    if (typeof next !== 'object' || next === null) continue;
    for (const inner of Object.values(next).reverse()) ahead.push(inner);
  }
}

/** Every string in a JSON value. If the form of a body is not specified, ids may be anywhere in it. */
export function strings(value: unknown): string[] {
  return [...within(value)].filter((inner) => typeof inner === 'string');
}
