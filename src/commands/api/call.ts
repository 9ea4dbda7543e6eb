import { ENDPOINTS } from '../../api/index.ts';
import { droppedRecords } from '../../api/syncs.ts';
import { failedItems, failuresIn, itemsFailed, partialFailure } from '../../app/partial.ts';
import { confirmed, dryRun, writeFlags } from '../../app/writes.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { textFlag, toggle } from '../../cli/flags.ts';
import { readDataFlag } from '../../cli/json-input.ts';
import type { Outcome } from '../../cli/outcome.ts';
import { listOf, oneOf, servedBody } from '../../cli/output.ts';
import { checkParameter, parameterFlag, parametersOf } from '../../cli/parameters.ts';
import { serviceErrorOf } from '../../client/errors.ts';
import type { Listing } from '../../client/listing.ts';
import type { ServiceAnswer, ServiceRequest } from '../../client/request.ts';
import { type ListPage, readList } from '../../client/response.ts';
import type { Context } from '../../context.ts';
import type { Api } from '../../core/credentials.ts';
import { type CryptodataError, ServiceError, usageError } from '../../core/errors.ts';
import { isRecord, type JsonRecord, jsonText } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { count, plural, showText } from '../../core/text.ts';
import { jsonArray } from '../../formats/json.ts';
import { openColumns } from '../../formats/open.ts';
import { type RenamedPath, renamedPath } from '../../legacy/renames.ts';
import { asRecord, newSummary, readPages } from '../../read/pages.ts';
import { type ApiTarget, targetOf } from './target.ts';

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];
const READING: readonly Method[] = ['GET', 'HEAD', 'OPTIONS'];

export const callApi = verb({
  name: 'api',
  summary: 'Send any request with the current credentials',
  about: `Use this command for endpoints that have no command of their own. PATH may include a query string. A full URL must start with a configured address, because credentials are never sent to other hosts. POST, PUT, PATCH and DELETE ask for confirmation and are never retried.

Prints the response as JSON, even on a terminal. For a list, -o csv prints CSV, and -o jsonl prints one row per line. --all reads every page of a list and prints one array.`,
  operands: [
    {
      written: '<method>',
      describe: 'HTTP method: GET, POST, … (default: GET)',
      suggests: () => METHODS,
    },
    {
      written: '[path]',
      describe: 'path, such as /v1/portfolios or /v1/ledgers?limit=5',
      suggests: async () => {
        return [...new Set(ENDPOINTS.map(({ path }) => path))].filter((path) => !path.includes('{'));
      },
    },
  ],
  flags: {
    parameters: parameterFlag,
    data: textFlag('-d, --data <json>', 'JSON body; @FILE reads a file, - reads stdin'),
    all: toggle('--all', 'read all pages of a list and print the rows as one array'),
    include: toggle('--include', 'print the response status and headers on stderr'),
    legacy: toggle('--legacy', 'use the legacy API (paths start with /api or /v0)'),
    legacyPublic: toggle('--legacy-public', 'use the public host of the legacy API (legacy_public_url)'),
    ...writeFlags,
  },
  examples: {
    'Show the raw record of the current user': 'cryptodata api GET /v1/users/me',
    'Count all rows of a list': 'cryptodata api GET /v1/spam --all | jq length',
    'Preview a write': 'cryptodata api POST /v1/transactions/batch -d @changes.json --dry-run',
    'Send a request to the legacy API': 'cryptodata api GET /api/v1/integrations --legacy',
  },
  prints:
    'The unchanged response body as JSON, even with -o table. If the response is a list, jsonl and csv print its rows. If the response has no body, nothing is printed.\nWith --include, the status and headers are printed on stderr.',
  output: [
    oneOf(servedBody('the unchanged response body'), {
      line: servedBody('an unchanged row of a list, or the unchanged body of any other response'),
    }),
    listOf(servedBody('an unchanged row'), 'with --all'),
  ],
  exits: [...SERVICE_EXITS, 5, 6, 11],
  async run(context, flags, operands) {
    const [given, where] = methodAndPath(operands);
    const method = methodOf(given);
    const target = targetOf(where, apiOf(flags), await context.settings());
    const previous = previousPath(method, target);
    if (previous !== undefined) context.say(previous);
    const query = joined(target.query, parametersOf(flags.parameters));
    const body = await bodyOf(context, flags.data, method);
    const request = { method, api: target.api, path: target.path, auth: needsLogin(target), query, body };
    if (flags.all || flags.include) checkReading(flags, method, query);
    if (flags.dryRun) return dryRun(context, request);
    const client = await context.client();
    if (flags.all) return rowsOf(context, client.list(request));
    if (!READING.includes(method)) {
      const { url } = await client.preview(request);
      if (!(await confirmed(context, `Send ${method} ${showText(url)}?`, flags.yes))) {
        return { kind: 'silent', notes: () => [{ text: 'Nothing was sent.' }] };
      }
    }
    const answer = await client.request(request).catch((error: unknown) => {
      throw explained(error, target, previous);
    });
    if (flags.include) context.say(headersOf(answer));
    return outcomeOf(context, request, answer);
  },
});

function methodAndPath([given = '', where]: readonly string[]): [method: string, path: string] {
  if (where !== undefined) return [given, where];
  if (given.includes('/')) return ['GET', given];
  throw usageError('The path is missing', 'Add the path after the method: cryptodata api GET /v1/users/me');
}

/** Returns a warning if the path belongs to the legacy API. The request is still sent. */
function previousPath(method: Method, { api, pathname }: ApiTarget): string | undefined {
  if (api !== 'current') return undefined;
  const change = renamedPath(pathname, method);
  const isLegacy = /^\/(api|v0)(\/|$)/.test(pathname);
  if (change === undefined && !isLegacy) return undefined;
  const what = `${method} ${showText(pathname)} is a path of the legacy API`;
  return `${what}: ${fateOf(pathname, change)}. To call the legacy API, add --legacy`;
}

function fateOf(pathname: string, change: RenamedPath | undefined): string {
  if (change !== undefined) {
    return 'now' in change ? `use ${change.now}` : `it has no replacement (${change.why})`;
  }
  // For many paths, only the prefix changed: /api/v1/holdings became /v1/holdings.
  return pathname.startsWith('/api/v1/')
    ? `use ${showText(pathname.slice('/api'.length))}`
    : 'the list of changed paths does not contain it';
}

/** For a path that is not in the current API, replaces the hint of the error: hints about ids or logins would not help. */
function explained(error: unknown, { api, pathname }: ApiTarget, previous: string | undefined): unknown {
  if (!(error instanceof ServiceError) || api !== 'current') return error;
  const { kind } = error;
  const replaced = (hint: string) => error.explained({ hint });
  if (previous !== undefined && (kind === 'notFound' || kind === 'auth')) return replaced(`${previous}.`);
  if (kind !== 'notFound' || ENDPOINTS.some(({ path }) => matches(path, pathname))) return error;
  const near = nearest(pathname, new Set(ENDPOINTS.map(({ path }) => path)));
  return replaced(
    near === undefined
      ? 'The specification does not contain this path. Check the spelling.'
      : `The specification does not contain this path. Did you mean ${near}?`,
  );
}

/** Whether a path such as `/v1/ledgers/{id}` matches `/v1/ledgers/led_1`. */
function matches(path: string, pathname: string): boolean {
  const wanted = path.split('/');
  const given = pathname.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith('{') || part === given[index])
  );
}

function methodOf(given: string): Method {
  const method = METHODS.find((candidate) => candidate === given.toUpperCase());
  if (method !== undefined) return method;
  const near = nearest(given.toUpperCase(), METHODS);
  throw usageError(
    `Unknown method ${JSON.stringify(given)}`,
    `${near === undefined ? '' : `Did you mean ${near}? `}Put one of ${METHODS.join(', ')} before the path.`,
  );
}

function apiOf(flags: { legacy: true | undefined; legacyPublic: true | undefined }): Api | undefined {
  if (flags.legacy && flags.legacyPublic) {
    throw usageError('--legacy and --legacy-public cannot be used together', 'Omit one of them.');
  }
  return flags.legacy ? 'legacy' : flags.legacyPublic ? 'legacyPublic' : undefined;
}

/** The catalogue and the public host need no login and must not receive a token ("Who may call what" in the specification). */
function needsLogin({ api, path }: ApiTarget): boolean {
  return !(api === 'legacyPublic' || (api === 'current' && path[0] === 'v1' && path[1] === 'providers'));
}

function joined(query: ApiTarget['query'], more: Record<string, string>): Record<string, string> {
  for (const name of Object.keys(query)) checkParameter(name);
  const twice = Object.keys(more).find((name) => Object.hasOwn(query, name));
  if (twice === undefined) return { ...query, ...more };
  throw usageError(
    `Duplicate parameter ${showText(twice)}: in the path and in -q`,
    'Omit one of them.',
    'BAD_FILTER',
  );
}

async function bodyOf(context: Context, data: string | undefined, method: Method): Promise<unknown> {
  if (data === undefined) return undefined;
  if (READING.includes(method)) {
    throw usageError(`--data cannot be used with ${method}`, 'Pass parameters with -q name=value.');
  }
  return readDataFlag(context, data);
}

function checkReading(
  flags: { all: true | undefined; include: true | undefined },
  method: Method,
  query: Readonly<Record<string, string>>,
): void {
  if (!flags.all) return;
  // The parameter `limit` is the page size.
  const start = ['offset', 'page'].find((name) => Object.hasOwn(query, name));
  if (start !== undefined)
    throw usageError(`--all reads all pages, so ${start} cannot be set`, `Omit ${start} or --all.`);
  if (method !== 'GET') throw usageError('--all works only with GET', 'Omit --all.');
  if (flags.include) throw usageError('--all and --include cannot be used together', 'Omit one of them.');
}

/** Returns the rows of all pages: separate rows for csv and jsonl, one array for other formats. */
async function rowsOf(context: Context, listing: Listing<unknown>): Promise<Outcome> {
  const format = await context.format();
  const summary = newSummary();
  const rows = readPages(listing.pages(), summary, { unique: false, wrap: asRecord });
  const failed = () => summary.early;
  if (format === 'csv' || format === 'jsonl') return { kind: 'rows', rows, columns: openColumns, failed };
  return { kind: 'stream', chunks: jsonArray(rows), failed };
}

async function outcomeOf(
  context: Context,
  { method, path }: ServiceRequest,
  answer: ServiceAnswer,
): Promise<Outcome> {
  const { status, body } = answer;
  if (body === undefined) {
    return { kind: 'silent', notes: () => [{ text: `HTTP ${status}, no body.` }] };
  }
  const failed = () => failureIn(method, path, answer);
  const format = await context.format();
  const page = format === 'csv' ? readList(body) : format === 'jsonl' ? listIn(method, body) : undefined;
  if (page) {
    const rows = page.rows.map(asRecord);
    const isPart = page.total !== undefined && page.total > (page.offset ?? 0) + rows.length;
    const notes = () =>
      isPart
        ? [
            {
              text: `${count(rows.length)} of ${plural(page.total ?? 0, 'row', 'rows')} shown.`,
              flagHint: '--all shows all of them.',
            },
          ]
        : [];
    return { kind: 'rows', rows, columns: openColumns, none: '', notes, failed };
  }
  const text = jsonText(body, format === 'jsonl' ? undefined : 2);
  return { kind: 'stream', chunks: one(`${text}\n`), failed };
}

/** Returns the page if the body is a list. A single record can contain an array too, but has no `total` or `limit`. */
function listIn(method: string, body: unknown): ListPage | undefined {
  if (method !== 'GET') return undefined;
  try {
    const page = readList(body);
    const isList = Array.isArray(body) || (isRecord(body) && Array.isArray(body['data']));
    return isList || page.total !== undefined || page.limit !== undefined ? page : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the failure in a 2xx response: `success: false`, failed items, or a sync that dropped rows. */
function failureIn(
  method: string,
  path: readonly string[],
  { status, headers, body }: ServiceAnswer,
): CryptodataError | undefined {
  const where = `/${path.join('/')}`;
  if (isRecord(body) && body['success'] === false) {
    return serviceErrorOf({ status, headers, body, text: '', request: `${method} ${where}` });
  }
  const record = isRecord(body) && isRecord(body['data']) ? body['data'] : body;
  if (isRecord(record) && hasFailedSync(where, record)) {
    return partialFailure(
      itemsFailed(1, `response to ${where}`),
      [],
      'The sync was cancelled, or dropped records. See the fields "status", "recordsFailed", "limitReached" and "message".',
    );
  }
  const failures = READING.some((reading) => reading === method) ? 0 : failuresIn(body);
  return failures === 0
    ? undefined
    : partialFailure(itemsFailed(failures, `response to ${where}`), failedItems(body));
}

function hasFailedSync(path: string, record: JsonRecord): boolean {
  if (!/^\/v1\/sync\/[^/]+$/.test(path)) return record['status'] === 'partially_synced';
  return record['status'] === 'cancelled' || droppedRecords(record);
}

async function* one(text: string): AsyncGenerator<string> {
  yield text;
}

function headersOf({ status, headers }: ServiceAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => showText(`${name}: ${value}`));
  return [`HTTP ${status}`, ...lines].join('\n');
}
