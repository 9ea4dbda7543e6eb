/** Yields a JSON value and every value within it. Not recursive, because a body can be nested deeper than the call stack. */
export function* within(value: unknown): Generator<unknown> {
  const ahead = [value];
  while (ahead.length > 0) {
    const next = ahead.pop();
    yield next;
    if (typeof next !== 'object' || next === null) continue;
    for (const inner of Object.values(next).reverse()) ahead.push(inner);
  }
}

/** Every string in a JSON value. Finds ids in bodies whose form the specification does not define. */
export function strings(value: unknown): string[] {
  return [...within(value)].filter((inner) => typeof inner === 'string');
}
