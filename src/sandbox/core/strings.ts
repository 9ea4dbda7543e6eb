/** Yields a JSON value and every value within it. Uses no recursion, because deep nesting would overflow the call stack. */
export function* valuesWithin(value: unknown): Generator<unknown> {
  const ahead = [value];
  while (ahead.length > 0) {
    const next = ahead.pop();
    yield next;
    if (typeof next !== 'object' || next === null) continue;
    for (const inner of Object.values(next).reverse()) ahead.push(inner);
  }
}

/** Returns every string in a JSON value. Callers look for ids in bodies whose structure the specification does not define. */
export function strings(value: unknown): string[] {
  return [...valuesWithin(value)].filter((inner) => typeof inner === 'string');
}
