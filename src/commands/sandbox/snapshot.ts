import { readFile } from 'node:fs/promises';
import { int, text as string } from '../../api/records.ts';
import { sameColumns } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { toggle } from '../../cli/flags.ts';
import { made, oneOf } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { OutputFile } from '../../export/output-file.ts';
import { addressOfSandbox, noSandbox, unknownAction } from './address.ts';
import { checked } from './data-flags.ts';

const ACTIONS = ['save', 'load'];
const COLUMNS = sameColumns('file', 'sandbox', 'bytes');
const HINT =
  'Run cryptodata sandbox in another terminal, and paste its output into this terminal. Or use cryptodata sandbox exec.';

export const snapshot = verb({
  name: 'snapshot',
  summary: 'Save or load the state of a running sandbox',
  about: `save FILE writes the state of the sandbox at base_url as one JSON document. load FILE replaces the state of the sandbox with the state in FILE. cryptodata sandbox --snapshot FILE starts a sandbox with that state.

The document contains the data settings, the records of --data, every change since the start (ledgers, posted transactions, accounts, syncs, calculations, the locked period, API keys), logins, rate limits, faults, the scenario, the offset of the clock, and events with their deliveries. The document does not contain the address of the sandbox, its client, its receivers or the list of requests. Tasks in progress continue with their remaining time. Tokens keep their expiry times; access tokens are valid only in the sandbox that issued them.

An invalid document, or a document of another version, is rejected and changes nothing. A document contains the sandbox's tokens, and your own records if the sandbox serves them.`,
  operands: [
    { written: '<action>', describe: 'save or load', suggests: () => ACTIONS },
    { written: '<file>', describe: 'the file to write or read' },
  ],
  flags: { overwrite: toggle('--overwrite', 'for save: replace an existing file') },
  examples: {
    'Save the state': 'cryptodata sandbox snapshot save before.json',
    'Restore the saved state': 'cryptodata sandbox snapshot load before.json',
    'Start a sandbox with the saved state': 'cryptodata sandbox --snapshot before.json',
  },
  prints:
    'One record { file, sandbox, bytes }: the name of the file, the address of the sandbox, and the size of the document.',
  output: [oneOf(made({ file: string, sandbox: string, bytes: int }))],
  exits: [0, 2, 13],
  async run(context, { overwrite }, [action = '', file = '']) {
    if (!ACTIONS.includes(action)) throw unknownAction(action, ACTIONS);
    const sandbox = await addressOfSandbox(context, HINT);
    const bytes =
      action === 'save'
        ? await save(context, sandbox, file, overwrite === true)
        : await load(context, sandbox, file);
    context.note(action === 'save' ? `Saved to ${file}.` : `Loaded ${file} into the sandbox at ${sandbox}.`);
    return { kind: 'record', record: { file, sandbox, bytes }, columns: COLUMNS };
  },
});

async function save(context: Context, origin: string, file: string, overwrite: boolean): Promise<number> {
  const { bytes } = await OutputFile.fill(file, { overwrite, signal: context.signal }, async (opened) => {
    const { status, text } = await request(context, origin, 'GET');
    if (status !== 200) throw unsupportedServer(origin);
    await opened.write(text);
  });
  return bytes;
}

async function load(context: Context, origin: string, file: string): Promise<number> {
  const document = await checked(file, () => readFile(file));
  const { status, text } = await request(context, origin, 'PUT', document);
  if (status === 204) return document.length;
  const reason = status === 400 || status === 413 ? reasonIn(text) : undefined;
  if (reason === undefined) throw unsupportedServer(origin);
  throw usageError(
    `Cannot load ${file}: ${reason}`,
    'The state of the sandbox is unchanged.',
    'BAD_SNAPSHOT',
  );
}

async function request(context: Context, origin: string, method: 'GET' | 'PUT', body?: Buffer) {
  const dispatcher = await context.dispatcher();
  const sent = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };
  const answer = await dispatcher.request({
    ...{ origin, path: '/_sandbox/snapshot', method, signal: context.signal },
    ...sent,
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

function reasonIn(text: string): string | undefined {
  try {
    const body: unknown = parseJson(text);
    const reason = isRecord(body) ? (body['error_description'] ?? body['error']) : undefined;
    return typeof reason === 'string' ? reason : undefined;
  } catch {
    return undefined;
  }
}

function unsupportedServer(origin: string): Error {
  return noSandbox(`The server at ${origin} is not a sandbox, or it is a sandbox of another version`, HINT);
}
