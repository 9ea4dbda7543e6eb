import { fromJsonSchema, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { cataloguedError } from '../../api/errors.ts';
import type { Schema } from '../../api/records.ts';
import { nextStep } from '../../auth/next-steps.ts';
import type { LazyNoun } from '../../cli/define.ts';
import { describeCommand, entriesOf, findEntry, wordsOf } from '../../cli/describe.ts';
import type { Context } from '../../context.ts';
import { InterruptedError, NotFoundError, usageError } from '../../core/errors.ts';
import { isRecord, type JsonRecord } from '../../core/json.ts';
import { didYouMean, nearest } from '../../core/nearest.ts';
import { VERSION } from '../../core/version.ts';
import { type CallResult, failedCall, runCall } from './call.ts';
import { NOTICE } from './served-text.ts';
import { inputSchema, type Served, servedBy, TOOLS } from './tools.ts';
import { AnsweringTransport } from './transport.ts';

const INSTRUCTIONS = `Read-only access to the books of a crypto portfolio: ledgers, balances, findings. Amounts are exact decimal strings; null means unknown, never 0. Times are Unix milliseconds. ${NOTICE} Each result contains the total number of rows; to read more rows, use limit and offset. "help" explains a command or an error code.`;

/** Serves the tools on stdin and stdout until stdin ends and every call is answered. */
export async function serve(context: Context, tree: readonly LazyNoun[], timeout: number): Promise<void> {
  const { stdin, stdout, stderr } = context.streams;
  const tools = await readTools(context, tree, timeout);
  if (stdin.isTTY) stderr.write('Waiting for messages from an agent on stdin. See docs/agents.md.\n');
  const transport = new AnsweringTransport(stdin, stdout);
  const server = serveStdio(() => serverOf(tools), { transport });
  const interrupted = new Promise<void>((resolve) => {
    context.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([transport.closed, interrupted]);
  await server.close();
}

interface ServedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
  call(given: JsonRecord, request: ServerContext): Promise<CallResult>;
}

function serverOf(tools: readonly ServedTool[]): McpServer {
  const server = new McpServer({ name: 'cryptodata', version: VERSION }, { instructions: INSTRUCTIONS });
  for (const { name, title, description, inputSchema, call } of tools) {
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
    server.registerTool(
      name,
      { title, description, annotations, inputSchema: fromJsonSchema(inputSchema, CHECKED_BY_TOOL) },
      async (given, request) => {
        const { content, failed } = await call(isRecord(given) ? given : {}, request);
        const text = JSON.stringify(content);
        return { content: [{ type: 'text', text }], structuredContent: content, isError: failed };
      },
    );
  }
  return server;
}

/** Turns off the argument check of the SDK. Each tool checks its arguments itself, so that the errors have a hint. */
const CHECKED_BY_TOOL = {
  getValidator: () => (data: unknown) => ({
    valid: true as const,
    data: data as never,
    errorMessage: undefined,
  }),
};

async function readTools(
  context: Context,
  tree: readonly LazyNoun[],
  timeout: number,
): Promise<ServedTool[]> {
  const tools = await Promise.all(
    TOOLS.map(async (tool): Promise<ServedTool> => {
      const served = await servedBy(tool, tree);
      const schema = inputSchema(tool, served);
      const check = checkOf(tool.name, schema);
      return {
        ...tool,
        inputSchema: schema,
        call: (given, request) =>
          limited(context, { timeout, request }, (signal) => {
            check(given);
            const chosen =
              served.length === 1 ? served[0] : served.find(({ noun }) => noun === given['noun']);
            if (!chosen) throw new Error('The argument schema allows a noun that has no command');
            checkAccepted(chosen, given);
            return runCall(context, { served: chosen, given, signal, onProgress: progressTo(request) });
          }),
      };
    }),
  );
  return [...tools, helpTool(context, tree)];
}

/** Runs a call until it ends, times out, or is cancelled by the client. Errors become results. */
async function limited(
  context: Context,
  { timeout, request }: { readonly timeout: number; readonly request: ServerContext },
  run: (signal: AbortSignal) => Promise<CallResult>,
): Promise<CallResult> {
  const time = AbortSignal.timeout(timeout);
  const signal = AbortSignal.any([context.signal, request.mcpReq.signal, time]);
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    return await Promise.race([(async () => run(signal))(), stopped]);
  } catch (error) {
    if (!time.aborted) return failedCall(error, context.redact);
    const message = `The call took longer than ${timeout / 1000} seconds`;
    const hint = 'Choose a shorter period or fewer records, or start the server with a longer --timeout.';
    return failedCall(new InterruptedError('TIMEOUT', message, { hint }), context.redact);
  }
}

/** @returns a function that throws a usage error for arguments that do not match the schema */
function checkOf(tool: string, schema: Schema): (given: JsonRecord) => void {
  const names = Object.keys(schema['properties'] ?? {});
  const validator = new AjvJsonSchemaValidator();
  let validate: ReturnType<typeof validator.getValidator> | undefined;
  return (given) => {
    const unknown = Object.keys(given).find((name) => !names.includes(name));
    if (unknown !== undefined) {
      const hint = didYouMean(unknown, names, `Arguments: ${names.join(', ')}.`);
      throw usageError(`Unknown argument ${JSON.stringify(unknown)} for ${tool}`, hint, 'UNKNOWN_ARGUMENT');
    }
    validate ??= validator.getValidator(schema);
    const { valid, errorMessage = '' } = validate(given);
    if (!valid)
      throw usageError(
        `Invalid arguments for ${tool}: ${errorMessage}`,
        'The tool list contains the schema of the arguments.',
        'BAD_ARGUMENT',
      );
  };
}

/** @throws usage error for an argument that this noun does not accept */
function checkAccepted({ noun, args }: Served, given: JsonRecord): void {
  const common = ['noun', 'limit', 'offset', 'timeZone'];
  const wrong = Object.keys(given).find((name) => !args.has(name) && !common.includes(name));
  if (wrong === undefined) return;
  const known = [...args.keys()].join(', ');
  const hint =
    known === ''
      ? `The arguments for ${noun} are limit, offset and timeZone.`
      : `Arguments for ${noun}: ${known}.`;
  throw usageError(`${noun} cannot be filtered by ${wrong}`, hint, 'UNKNOWN_ARGUMENT');
}

/** Reports progress if the client requested it. */
function progressTo({ mcpReq }: ServerContext): (text: string) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  return (message) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // The client may have disconnected.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** The tool that explains commands and error codes. Explanations contain no text from the service, so they need no notice. */
function helpTool(context: Context, tree: readonly LazyNoun[]): ServedTool {
  const schema = {
    type: 'object',
    properties: {
      topic: {
        type: 'string',
        description: 'a command, such as "ledgers negative", or an error code (default: list all commands)',
      },
    },
    additionalProperties: false,
  };
  const check = checkOf('help', schema);
  const explain = async (topic: string | undefined): Promise<JsonRecord> => {
    const entries = await entriesOf(tree);
    if (topic === undefined) {
      return { commands: entries.map((entry) => ({ command: wordsOf(entry), summary: entry.verb.summary })) };
    }
    const entry = await findEntry(
      tree,
      topic
        .replace(/^cryptodata\s+/, '')
        .trim()
        .split(/\s+/),
    );
    if (entry) return { command: describeCommand(entry) };
    const error = cataloguedError(topic);
    if (error) return { error: { ...error, next: nextStep(error) } };
    const near = nearest(topic, entries.map(wordsOf));
    const hint = near ? `Did you mean "${near}"?` : 'Call help without a topic to list the commands.';
    throw new NotFoundError('NO_TOPIC', `There is no help for ${JSON.stringify(topic)}`, {
      hint,
    });
  };
  return {
    name: 'help',
    title: 'Help',
    description:
      'Explain a cryptodata command (flags, output, exit codes) or an error code. Without a topic, list all commands.',
    inputSchema: schema,
    async call(given) {
      try {
        check(given);
        const { topic } = given;
        return { failed: false, content: await explain(typeof topic === 'string' ? topic : undefined) };
      } catch (error) {
        return failedCall(error, context.redact);
      }
    },
  };
}
