const cleanings: (() => unknown)[] = [];

/** Registers a cleanup to run after the tests of the file. Unlike `afterAll`, `atEnd` can be called within a test. */
export function atEnd(clean: () => unknown): void {
  cleanings.push(clean);
}

/** Runs the registered cleanups in reverse order. */
export async function cleanUp(): Promise<void> {
  for (const clean of cleanings.splice(0).reverse()) await clean();
}
