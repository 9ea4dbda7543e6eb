/**
 * Opens the user's browser. The browser gets no secret of ours from the environment: it, and every page's helper
 * program, would inherit what the tool was given.
 *
 * @returns false where no browser could be started
 */
export async function openBrowser(url: string): Promise<boolean> {
  const { default: open } = await import('open');
  return withoutSecrets(async () => {
    try {
      const child = await open(url);
      return await new Promise((resolve) => {
        child.once('error', () => resolve(false));
        // xdg-open and its like end at once with an error where there is no browser.
        child.once('exit', (code) => resolve(code === 0 || code === null));
        setTimeout(() => resolve(true), 1500).unref();
      });
    } catch {
      return false;
    }
  });
}

async function withoutSecrets<T>(run: () => Promise<T>): Promise<T> {
  const kept = new Map<string, string>();
  for (const name of SECRET_VARIABLES) {
    const value = process.env[name];
    if (value !== undefined) kept.set(name, value);
    delete process.env[name];
  }
  try {
    return await run();
  } finally {
    for (const [name, value] of kept) process.env[name] = value;
  }
}

const SECRET_VARIABLES = [
  'CRYPTODATA_CLIENT_SECRET',
  'CRYPTODATA_ACCESS_TOKEN',
  'CRYPTODATA_API_KEY',
  'CRYPTODATA_PASSPHRASE',
];
