import { withoutSecrets } from '../core/environment.ts';
import type { Redactor } from '../core/redact.ts';

/**
 * Opens the user's browser, which inherits no secret from the environment.
 *
 * @returns false if no browser could be started
 */
export async function openBrowser(url: string, redactor: Redactor): Promise<boolean> {
  const { default: open } = await import('open');
  // `open` passes on the environment of this process. main has removed the tool's own variables, but other variables may contain
  // a secret that is also in the keychain.
  const harmless = withoutSecrets(process.env, redactor);
  for (const name of Object.keys(process.env)) if (harmless[name] === undefined) delete process.env[name];
  try {
    const child = await open(url);
    return await new Promise((resolve) => {
      child.once('error', () => resolve(false));
      // xdg-open and similar programs fail at once if there is no browser.
      child.once('exit', (code) => resolve(code === 0 || code === null));
      setTimeout(() => resolve(true), 1500).unref();
    });
  } catch {
    return false;
  }
}
