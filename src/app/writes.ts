import { yesFlag } from '../cli/common-flags.ts';
import type { Flag } from '../cli/define.ts';
import { toggle } from '../cli/flags.ts';
import type { One } from '../cli/outcome.ts';
import type { FormPart, RequestPreview, ServiceRequest } from '../client/request.ts';
import type { Context } from '../context.ts';
import { usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { parseStrict } from '../core/strict-json.ts';
import { openColumns } from '../formats/open.ts';

/** Flags of every command that changes data in the service. */
export const writeFlags = {
  yes: yesFlag,
  dryRun: toggle('--dry-run', 'print the exact request without sending it'),
} satisfies Record<string, Flag<true | undefined>>;

/**
 * Asks for confirmation on a terminal. Without a terminal, the user must pass `--yes`.
 *
 * @param what the question, such as `Delete 3 integrations?`
 */
export async function confirmed(context: Context, what: string, yes: true | undefined): Promise<boolean> {
  if (yes || context.curl) return true;
  // If the user typed the request body and closed stdin with Ctrl-D, stdin cannot receive an answer.
  if (!context.interactive || context.streams.stdin.readableEnded) {
    throw usageError(
      `Confirmation required: ${what}`,
      'To confirm, add --yes. To preview the request, add --dry-run.',
      'NOT_CONFIRMED',
    );
  }
  const { confirm } = await import('../cli/prompts.ts');
  return confirm(what, context.signal);
}

/** Shows the request without sending it: method, address, body, and headers with masked credentials. */
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

/** Shows the name, the type and the size of a file instead of its content. */
function describedPart(part: FormPart): JsonRecord {
  if ('value' in part) return { ...part };
  const { name, size, type } = part.file;
  return { name: part.name, file: name, type, bytes: size };
}
