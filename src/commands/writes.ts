import { yesFlag } from '../cli/common-flags.ts';
import type { Flag } from '../cli/define.ts';
import { toggle } from '../cli/flags.ts';
import type { One } from '../cli/outcome.ts';
import type { FormPart, ServiceRequest } from '../client/request.ts';
import type { RequestPreview } from '../client/transport.ts';
import type { Context } from '../context.ts';
import { usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { parseStrict } from '../core/strict-json.ts';
import { openColumns } from '../formats/open.ts';

/** The flags of every command that changes something at the service. */
export const writeFlags = {
  yes: yesFlag,
  dryRun: toggle('--dry-run', 'print the exact request and send nothing'),
} satisfies Record<string, Flag<true | undefined>>;

/**
 * Asks before something is changed: on a terminal a question, elsewhere `--yes` is needed.
 *
 * @param what the whole question, as in `Delete 3 integrations?`
 * @returns false where the user says no
 */
export async function confirmed(context: Context, what: string, yes: true | undefined): Promise<boolean> {
  if (yes) return true;
  // Who typed the input has ended stdin with it: there is nothing left to answer from.
  if (!context.interactive || context.streams.stdin.readableEnded) {
    throw usageError(
      `This needs a yes: ${what}`,
      'Say --yes where nobody can be asked, or look first with --dry-run.',
      'NOT_CONFIRMED',
    );
  }
  const { confirm } = await import('../cli/prompts.ts');
  return confirm(what, context.signal);
}

/** What `--dry-run` shows: method, address, headers (credentials masked), body. Nothing was sent. */
export async function dryRun(context: Context, request: ServiceRequest): Promise<One> {
  const client = await context.client();
  return {
    kind: 'record',
    record: described(await client.preview(request)),
    columns: openColumns,
    notes: () => [{ text: 'Nothing was sent.' }],
  };
}

function described({ method, url, headers, body, form }: RequestPreview): JsonRecord {
  if (form) return { method, url, headers: { ...headers }, form: form.map(describedPart) };
  const content = typeof body === 'string' ? parseStrict(body, 'the body') : undefined;
  return { method, url, headers: { ...headers }, ...(content === undefined ? {} : { body: content }) };
}

/** A file by its name and size: its content stands on the disk. */
function describedPart(part: FormPart): JsonRecord {
  if ('value' in part) return { ...part };
  const { name, size, type } = part.file;
  return { name: part.name, file: name, type, bytes: size };
}
