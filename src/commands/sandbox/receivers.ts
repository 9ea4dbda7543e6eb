import type { Flag, Values } from '../../cli/define.ts';
import { choice, text } from '../../cli/flags.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import type { SandboxOptions } from '../../sandbox/index.ts';

/** Who gets the events of the sandbox, and how deliveries are signed. */
export const receiverFlags = {
  receiver: addresses(
    '--receiver <url>',
    'post the events of the sandbox there; may be given more than once. /_sandbox/receivers adds others',
  ),
  secretEnv: text(
    '--secret-env <name>',
    'sign deliveries with the secret in this variable, by HMAC-SHA-256 over the body. How the service signs is not documented: this is your own setting, and takes all three flags',
  ),
  signatureHeader: text('--signature-header <name>', 'the header that carries the signature'),
  signatureEncoding: choice('--signature-encoding <form>', 'how the signature is written', ['hex', 'base64']),
};

/** What the help of `sandbox` says of them. */
export const EVENTS_HELP = `Events go to each --receiver in their order; one that fails (no 2xx within 10 s) is tried again under the same id after 1 s, 5 s, 30 s, 5 min and 1 h of the sandbox's clock, and holds up none behind it. POST /_sandbox/events {"event": KIND, "data"?, "set"?: {"data.status": …}} sends one, GET shows each attempt; POST, GET and DELETE /_sandbox/receivers {"url"} change who gets them. What causes them: syncs and removals that are asked for, and, at /_sandbox: integrations {"providerId"} connects an account; integrations/ID and syncs/ID {"states", "every"?} have one go another way (with "when": "resync" or "delete", the next time); runs {"fail"?, "reason"?} calculates anew. The documentation shows few moves between states: syncs go QUEUED, SYNCING, COMPLETED by the sandbox's own choice, a step every 5 s and at each look. POST /_sandbox/clock {"advance": MS} moves the clock instead of waiting.`;

/** `parse` is handed what was given before, so that the flag may be repeated. */
function addresses(written: string, describe: string): Flag<readonly string[] | undefined> {
  return {
    written,
    describe,
    parse: (given, previous) => {
      const url = URL.canParse(given) ? new URL(given) : undefined;
      if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
        throw usageError('It must be an http or https address', 'As in http://127.0.0.1:8980/webhooks.');
      }
      if (url.username !== '' || url.password !== '') {
        throw usageError('It must have no user name and no password in it');
      }
      return [...(previous ?? []), given];
    },
  };
}

export function receiverOptions(
  flags: Values<typeof receiverFlags>,
  context: Pick<Context, 'secretIn'>,
): Pick<SandboxOptions, 'receivers' | 'signature'> {
  const { receiver = [], secretEnv, signatureHeader, signatureEncoding } = flags;
  const given = [secretEnv, signatureHeader, signatureEncoding].filter((flag) => flag !== undefined);
  if (given.length === 0) return { receivers: receiver };
  if (secretEnv === undefined || signatureHeader === undefined || signatureEncoding === undefined) {
    throw usageError(
      'A signature takes three flags: --secret-env, --signature-header and --signature-encoding',
      'As in --secret-env WEBHOOK_SECRET --signature-header x-signature --signature-encoding hex.',
      'INCOMPLETE_SIGNATURE',
    );
  }
  const secret = context.secretIn(secretEnv);
  return { receivers: receiver, signature: { header: signatureHeader, secret, encoding: signatureEncoding } };
}
