import type { Values } from '../../cli/define.ts';
import { choice, text } from '../../cli/flags.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { showText } from '../../core/text.ts';
import { CATEGORIES, ENCODINGS, KIND_NAMES, type Signature } from '../../events/index.ts';

/** Where deliveries are stored if the user names no file: in the folder of the shell. */
export const DEFAULT_STORE = 'events.jsonl';

export const storeFlag = text('--store <file>', `the file of the deliveries (default: ${DEFAULT_STORE})`);

export const signatureFlags = {
  secretEnv: text('--secret-env <name>', 'the environment variable that holds the secret of signatures'),
  signatureHeader: text('--signature-header <name>', 'the header that holds the signature'),
  signatureEncoding: choice('--signature-encoding <encoding>', 'how the signature is written', ENCODINGS),
};

/**
 * The signature that the user set, or none. HMAC-SHA-256 over the bytes of the body: the specification shows none.
 *
 * @throws usage error where some of the three flags are given
 */
export function signatureOf(context: Context, flags: Values<typeof signatureFlags>): Signature | undefined {
  const { secretEnv, signatureHeader: header, signatureEncoding: encoding } = flags;
  if (secretEnv === undefined && header === undefined && encoding === undefined) return undefined;
  if (secretEnv === undefined || header === undefined || encoding === undefined) {
    throw usageError(
      'A signature needs --secret-env, --signature-header and --signature-encoding',
      'Give all three, or none for no signature.',
      'HALF_A_SIGNATURE',
    );
  }
  if (!/^[!#$%&'*+.^`|~\w-]+$/.test(header)) {
    throw usageError(`${JSON.stringify(header)} is no name of a header`, 'As in X-Signature.', 'BAD_HEADER');
  }
  return { secret: context.secretIn(secretEnv), header, encoding };
}

/** The service may come to send kinds that nobody knows: they may be asked for, with a word about it. */
export function checkTypes(context: Context, types: readonly string[] = []): void {
  const known = [...KIND_NAMES, ...CATEGORIES.map((category) => `${category}.*`)];
  for (const type of types) {
    if (known.includes(type)) continue;
    if (!/^[^.\s]+\.[^.\s]+$/.test(type)) {
      throw usageError(
        `--types takes kinds as category.action: ${JSON.stringify(type)}`,
        `They are ${KIND_NAMES.join(', ')}; category.* takes all of one category.`,
        'BAD_TYPE',
      );
    }
    const near = nearest(type, known);
    context.say(
      showText(
        `warning: ${type} is not in the specification.${near === undefined ? '' : ` Did you mean ${near}?`}`,
      ),
    );
  }
}
