import type { Flag, Values } from '../../cli/define.ts';
import { choiceFlag, textFlag } from '../../cli/flags.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { showText } from '../../core/text.ts';
import { CATEGORIES, KIND_NAMES } from '../../events/kinds.ts';
import { ENCODINGS, type Signature } from '../../events/signature.ts';

export const DEFAULT_STORE = 'events.jsonl';

export const storeFlag = textFlag(
  '--store <file>',
  `file that stores deliveries (default: ${DEFAULT_STORE})`,
);

export function forwardFlag(describe: string): Flag<string | undefined> {
  return textFlag('--forward-to <url>', describe);
}

export const signatureFlags = {
  secretEnv: textFlag('--secret-env <name>', 'environment variable that contains the signing secret'),
  signatureHeader: textFlag('--signature-header <name>', 'header that contains the signature'),
  signatureEncoding: choiceFlag('--signature-encoding <encoding>', 'encoding of the signature', ENCODINGS),
};

/**
 * Reads the signature flags. A signature is an HMAC-SHA-256 of the body bytes.
 *
 * @throws usage error if only some of the three flags are set
 */
export function signatureOf(context: Context, flags: Values<typeof signatureFlags>): Signature | undefined {
  const { secretEnv, signatureHeader: header, signatureEncoding: encoding } = flags;
  if (secretEnv === undefined && header === undefined && encoding === undefined) return undefined;
  if (secretEnv === undefined || header === undefined || encoding === undefined) {
    throw usageError(
      'Signatures require --secret-env, --signature-header and --signature-encoding',
      'Set all three flags, or none.',
      'HALF_A_SIGNATURE',
    );
  }
  if (!/^[!#$%&'*+.^`|~\w-]+$/.test(header)) {
    throw usageError(
      `Invalid header name: ${JSON.stringify(header)}`,
      'For example: X-Signature',
      'BAD_HEADER',
    );
  }
  return { secret: context.secretIn(secretEnv), header, encoding };
}

/** Warns about unknown kinds but does not refuse them, because the service may add kinds. */
export function checkTypes(context: Context, types: readonly string[] = []): void {
  const known = [...KIND_NAMES, ...CATEGORIES.map((category) => `${category}.*`)];
  for (const type of types) {
    if (known.includes(type)) continue;
    if (!/^[^.\s]+\.[^.\s]+$/.test(type)) {
      throw usageError(
        `Invalid value for --types: ${JSON.stringify(type)}`,
        `Valid types: ${KIND_NAMES.join(', ')}; category.* selects a whole category.`,
        'BAD_TYPE',
      );
    }
    const near = nearest(type, known);
    const suggestion = near === undefined ? '' : ` Did you mean ${near}?`;
    context.say(showText(`warning: ${type} is not in the specification.${suggestion}`));
  }
}
