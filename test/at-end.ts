const cleanings: (() => unknown)[] = [];

/** Registers a cleanup after the tests of the file, also from within a test: `afterAll` cannot be called there. */
export function atEnd(clean: () => unknown): void {
  cleanings.push(clean);
}

/** Cleanups run in reverse order. */
export async function cleanUp(): Promise<void> {
  for (const clean of cleanings.splice(0).reverse()) await clean();
}
