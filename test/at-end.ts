const cleanings: (() => unknown)[] = [];

/** Has something done when the tests of the file are over, also from within a test: `afterAll` cannot be called there. */
export function atEnd(clean: () => unknown): void {
  cleanings.push(clean);
}

/** The last one first. */
export async function cleanUp(): Promise<void> {
  for (const clean of cleanings.splice(0).reverse()) await clean();
}
