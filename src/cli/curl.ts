import { randomBytes } from 'node:crypto';
import { refuseTwoLogins } from '../auth/credentials.ts';
import { hasApiKey } from '../auth/session-file.ts';
import type { FormPart } from '../client/request.ts';
import type { Captured } from '../client/transport.ts';
import { readConfig } from '../config/file.ts';
import { configDirectory, configFile } from '../config/paths.ts';
import { Settings } from '../config/settings.ts';
import type { ContextOptions, Globals, OwnContext } from '../context.ts';
import { usageError } from '../core/errors.ts';
import { shellWord } from '../core/text.ts';
import type { Asked, Run } from './define.ts';
import { asksSeveral } from './globals.ts';
import { finalError } from './outcome.ts';
import { render } from './render.ts';

export interface CurlParts {
  readonly run: Run;
  readonly globals: Globals;
  readonly env: NodeJS.ProcessEnv;
  readonly asked: Asked;
  readonly open: (own: Pick<ContextOptions, 'globals' | 'env' | 'capture'>) => OwnContext;
}

/** Thrown when the command would send a request. Stops the command. */
class NotSent extends Error {}

/**
 * Runs the command up to its first request, and returns that request as a curl command. Nothing is sent, and no secret is read.
 * During the run, random placeholders replace the credentials. In the curl command, shell variables replace the placeholders.
 *
 * @throws usage error `NO_REQUEST` if the command sends no request
 */
export async function firstRequest({ run, globals, env, asked, open }: CurlParts): Promise<string> {
  refuse(globals, env, asked);
  const standIns = new StandIns();
  let command: string | undefined;
  const context = open({
    ...(await standIns.replace(globals, env)),
    capture: (request) => {
      command ??= curlCommand(request, (text) => standIns.quote(text));
      throw new NotSent();
    },
  });
  // Resolve the output format first, because it determines whether warnings are printed as JSON.
  await context.format();
  const look = { view: await context.view(), style: context.style, say: () => {} };
  try {
    const outcome = await run(context);
    // Read the rows, because the request for a list is sent only then.
    for await (const _ of render(outcome, { format: 'json', ...look }));
    // The result may contain an error that occurred before the first request, for example invalid input.
    const failure = await finalError(outcome);
    if (failure !== undefined) throw failure;
  } catch (error) {
    if (command === undefined) throw error;
  }
  if (command !== undefined) return `${command}\n`;
  throw noRequest(`With these options, "cryptodata ${asked.words}" sends no request`, 'Omit --curl.');
}

function refuse(globals: Globals, env: NodeJS.ProcessEnv, { words, reads, sends }: Asked): void {
  if (!sends) {
    throw noRequest(
      `--curl does not apply to "cryptodata ${words}"`,
      'Use --curl with a command that calls the data API, such as ledgers list.',
    );
  }
  if (asksSeveral(globals, env, reads)) {
    throw usageError(
      '--curl works for one profile at a time',
      'Choose one profile: -p NAME.',
      'ONE_PROFILE_ONLY',
    );
  }
  if (globals.jq === undefined) return;
  throw usageError(
    '--curl and --jq cannot be combined: --curl prints no result to filter',
    'Omit one of them.',
  );
}

function noRequest(message: string, hint: string): Error {
  return usageError(message, hint, 'NO_REQUEST');
}

/** Replaces credentials with random placeholders, and later replaces the placeholders with shell variables. */
class StandIns {
  readonly #variables = new Map<string, string>();

  #of(variable: string): string {
    const text = `stand-in-${randomBytes(12).toString('hex')}`;
    this.#variables.set(text, variable);
    return text;
  }

  /**
   * Returns the global flags and the environment, with placeholders instead of the credentials. If the environment contains no
   * credentials, adds a placeholder for the kind of credentials that the profile uses.
   */
  async replace(globals: Globals, env: NodeJS.ProcessEnv): Promise<Pick<ContextOptions, 'globals' | 'env'>> {
    const directory = configDirectory(env);
    const file = await readConfig(configFile(directory));
    const { profile: profileFlag, ...others } = globals;
    const settings = new Settings({ flags: globals.settings, profileFlag, env, file });
    refuseTwoLogins({ settings, env, directory });
    const keyed =
      env['CRYPTODATA_API_KEY'] ||
      (!env['CRYPTODATA_ACCESS_TOKEN'] &&
        (settings.get('workspace') || hasApiKey(directory, settings.profile)));
    const credential = keyed ? 'CRYPTODATA_API_KEY' : 'CRYPTODATA_ACCESS_TOKEN';
    const names = [
      credential,
      'CRYPTODATA_CLIENT_SECRET',
      ...(settings.get('client_id') === undefined ? ['CRYPTODATA_CLIENT_ID'] : []),
      ...(keyed && settings.get('workspace') === undefined ? ['CRYPTODATA_WORKSPACE'] : []),
    ];
    return {
      // Pass the profile in a variable, because -p and a credential in the environment count as two logins.
      globals: others,
      env: {
        ...env,
        ...(profileFlag === undefined ? {} : { CRYPTODATA_PROFILE: profileFlag }),
        ...Object.fromEntries(names.map((name) => [name, this.#of(name)])),
      },
    };
  }

  /** Quotes text for a POSIX shell, and replaces the placeholders with shell variables. */
  quote(text: string): string {
    let plain = true;
    const parts = text.split(/(stand-in-[0-9a-f]{24})/).map((part) => {
      const variable = this.#variables.get(part);
      if (variable === undefined && !/^[\w :/.-]*$/.test(part)) plain = false;
      return { part, variable };
    });
    if (parts.every(({ variable }) => variable === undefined)) return shellWord(text);
    if (plain) return `"${parts.map(({ part, variable }) => (variable ? `$${variable}` : part)).join('')}"`;
    return parts
      .map(({ part, variable }) => (variable ? `"$${variable}"` : part && shellWord(part)))
      .join('');
  }
}

/** Headers that describe this client. The curl command does not contain these headers, because curl sends its own. */
const OWN = ['user-agent', 'accept-encoding', 'cache-control'];

/** Maximum length of a command-line argument in bytes. This is the limit of Linux, minus a margin for quotes. */
const LONGEST_WORD = 100_000;

function curlCommand(request: Captured, quote: (text: string) => string): string {
  const { method, origin, target, body, form } = request;
  const hasBody = body !== undefined;
  const headers = Object.entries(request.headers).filter(
    // Omit the content headers of a form, because curl sets them itself.
    ([name]) => !OWN.includes(name) && !(form && /^content-/i.test(name)),
  );
  if (!hasBody && /^P/.test(method)) headers.push(['content-length', '0']);
  const isLong = typeof body === 'string' && Buffer.byteLength(body) > LONGEST_WORD;
  const lines = [
    `curl ${/[[\]{}]/.test(target) ? '--globoff ' : ''}${quote(`${origin}${target}`)}`,
    ...(method === 'GET' ? [] : [method === 'HEAD' ? '--head' : `-X ${method}`]),
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(form ?? []).map((part) => formFlag(part, quote)),
    ...(typeof body !== 'string' ? [] : [isLong ? '--data-binary @-' : `--data-raw ${quote(body)}`]),
  ];
  // Pipe a long body from `printf`: the length limit does not apply to arguments of shell builtins.
  return `${isLong ? `printf %s ${quote(body)} | ` : ''}${lines.join(' \\\n  ')}`;
}

function formFlag(part: FormPart, quote: (text: string) => string): string {
  if ('value' in part) return `--form-string ${quote(`${part.name}=${part.value}`)}`;
  const { file } = part;
  const path = 'path' in file ? String(file.path) : file.name;
  const type = file.type || 'application/octet-stream';
  return `-F ${quote(`${part.name}=@${quoted(path)};type=${type};filename=${quoted(file.name)}`)}`;
}

/** Quotes a value for `-F`, because curl would split an unquoted value at semicolons and commas. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
