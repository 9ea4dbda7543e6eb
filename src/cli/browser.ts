import { environmentWithoutSecrets } from '../core/environment.ts';
import type { Redactor } from '../core/redact.ts';

/**
 * Opens an address in the user's browser. The browser inherits no secret from the environment.
 *
 * @returns false if the browser could not be started
 */
export async function openBrowser(url: string, redactor: Redactor): Promise<boolean> {
  const { default: open } = await import('open');
  // `open` starts the browser with the environment of this process. The variables of the tool are already removed, but another
  // variable may contain a copy of a secret.
  const harmless = environmentWithoutSecrets(process.env, redactor);
  for (const name of Object.keys(process.env)) if (harmless[name] === undefined) delete process.env[name];
  try {
    const child = await open(url);
    return await new Promise((resolve) => {
      child.once('error', () => resolve(false));
      // If there is no browser, xdg-open and similar programs exit at once with an error.
      child.once('exit', (code) => resolve(code === 0 || code === null));
      setTimeout(() => resolve(true), 1500).unref();
    });
  } catch {
    return false;
  }
}
