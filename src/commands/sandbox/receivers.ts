import type { Flag, Values } from '../../cli/define.ts';
import { choiceFlag, textFlag } from '../../cli/flags.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import type { SandboxOptions } from '../../sandbox/index.ts';

/** Flags for webhook deliveries from the sandbox: where they are sent, and how they are signed. */
export const receiverFlags = {
  receiver: addresses(
    '--receiver <url>',
    'address to post events to (repeatable); POST /_sandbox/receivers adds addresses later',
  ),
  secretEnv: textFlag(
    '--secret-env <name>',
    'environment variable that contains the secret for signatures (HMAC-SHA-256 of the body). The specification does not define signatures, so you must set all three signature flags',
  ),
  signatureHeader: textFlag('--signature-header <name>', 'header that contains the signature'),
  signatureEncoding: choiceFlag('--signature-encoding <form>', 'signature encoding', ['hex', 'base64']),
};

export const EVENTS_HELP = `Events are sent to each --receiver in order. A failed delivery (no 2xx within 10 s) is retried with the same id after 1 s, 5 s, 30 s, 5 min and 1 h on the sandbox's clock; later deliveries do not wait for the retries. POST /_sandbox/events {"event": KIND, "data"?, "set"?: {"data.status": …}} sends an event; GET shows each attempt. POST, GET and DELETE /_sandbox/receivers {"url"} change the receivers.

Syncs and removals cause events. These requests to /_sandbox also cause events: POST integrations {"providerId"} connects an account. POST integrations/ID and syncs/ID {"states", "every"?} set the states of an account or sync; with "when": "resync" or "delete", the states apply to the next sync or removal. POST runs {"fail"?, "reason"?} starts a recalculation. The specification describes few state transitions. In the sandbox, a sync goes through QUEUED, SYNCING and COMPLETED. The sync advances every 5 s, and with each request that returns the sync. POST /_sandbox/clock {"advance": MS} moves the clock.`;

/** A repeatable flag. `parse` receives the addresses from the earlier uses of the flag. */
function addresses(written: string, describe: string): Flag<readonly string[] | undefined> {
  return {
    written,
    describe,
    parse: (given, previous) => {
      const url = URL.canParse(given) ? new URL(given) : undefined;
      if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
        throw usageError(
          'Not an http or https address',
          'Use an address such as http://127.0.0.1:8980/webhooks.',
        );
      }
      if (url.username !== '' || url.password !== '') {
        throw usageError('The address must not contain a user name or password');
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
      'A signature requires --secret-env, --signature-header and --signature-encoding',
      'For example: --secret-env WEBHOOK_SECRET --signature-header x-signature --signature-encoding hex.',
      'INCOMPLETE_SIGNATURE',
    );
  }
  const secret = context.secretIn(secretEnv);
  return { receivers: receiver, signature: { header: signatureHeader, secret, encoding: signatureEncoding } };
}
