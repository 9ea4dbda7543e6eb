import { type Browser, chromium } from 'playwright-core';
import { needs, programPath } from './needs.ts';

/** Debian also packages Chromium without its user interface. This variant needs about 30 % less CPU time. */
const PROGRAM = programPath('chromium-headless-shell') === undefined ? 'chromium' : 'chromium-headless-shell';

/** Checks that Chromium is installed, in the same way as {@link needs}. */
export const hasChromium = () => needs(PROGRAM);

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: programPath(PROGRAM) ?? '', args: ['--no-sandbox'] });
}
