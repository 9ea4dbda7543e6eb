import { withoutSecrets } from '../core/environment.ts';
import type { Redactor } from '../core/redact.ts';

/**
 * Opens the user's browser. The browser gets no secret of ours from the environment: it, and every page's helper
 * program, would inherit what the tool was given.
 *
 * @returns false where no browser could be started
 */
export async function openBrowser(url: string, redactor: Redactor): Promise<boolean> {
  const { default: open } = await import('open');
  // `open` takes no environment, and what it starts inherits ours. The variables of ours went when the tool began;
  // a secret from the keychain may be in others, and nothing of the tool reads them here.
  const harmless = withoutSecrets(process.env, redactor);
  for (const name of Object.keys(process.env)) if (harmless[name] === undefined) delete process.env[name];
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
}
