declare const __VERSION__: string | undefined;

/** The package's version; the build writes it in. */
export const VERSION: string = typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0-source';
