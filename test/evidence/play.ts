// Plays one seeded run: a service that misbehaves, command lines against it, and the verdict of the judge.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { EXIT_CODES } from '../../src/cli/exits.ts';
import { CryptodataError } from '../../src/core/errors.ts';
import { stringifyJson } from '../../src/core/json.ts';
import { openMirror } from '../../src/mirror/open.ts';
import { endHere } from '../commands/in-process.ts';
import {
  ended,
  type FileRow,
  judgeAudit,
  judgeCommand,
  judgeExport,
  judgeList,
  judgeMirror,
  judgeNegative,
  judgeTransactions,
  judgeVerify,
  type MirrorClaim,
  type Ran,
  type Refutation,
  type Selection,
} from './judge.ts';
import {
  type Asked,
  type Leg,
  makeChanges,
  makeConduct,
  makeLegs,
  PHASES,
  type Phase,
  pick,
  type Random,
  type Script,
  type Service,
  seeded,
  startService,
} from './service.ts';

/** Requests after which the service refuses all further requests of a run. */
const MOST_REQUESTS = 3000;

export interface Verdict {
  readonly seed: number;
  readonly operation: string;
  readonly script: Script;
  readonly commands: readonly Ran[];
  readonly hit: ReadonlySet<string>;
  readonly refutations: readonly Refutation[];
  /** Whether a command ended with exit code 0, so that the judge checked its claims. */
  readonly claimed: boolean;
}

interface Stage {
  readonly random: Random;
  readonly service: Service;
  readonly script: Script;
  readonly folder: string;
  readonly selection: Selection;
  /** Arguments for the period and the filters of the selection. */
  readonly args: readonly string[];
  readonly run: (...args: string[]) => Promise<Ran>;
}

interface Operation {
  readonly path: '/v1/ledgers' | '/v1/transactions';
  readonly phases: readonly Phase[];
  readonly commands: number;
  /** Possible filters, each with its value. */
  readonly filters: readonly Readonly<Record<string, string>>[];
  readonly hasPeriod: boolean;
  play(stage: Stage): Promise<Refutation[]>;
}

const LEDGER_FILTERS = [
  ...[{}, {}, {}, {}, { types: 'incoming' }, { assetIds: 'ast_btc,ast_eth' }, { hasMissingPrice: 'true' }],
  ...[
    { hasMissingAsset: 'false' },
    { ltAfterBalance: '0' },
    { gtAfterBalance: '1' },
    { providers: 'kraken' },
  ],
];
const TXN_FILTERS = [{}, {}, { notWalletIds: 'wal_1,wal_2' }, { hasMissingPrice: 'true' }];
const READ_PHASES: readonly Phase[] = ['first', 'request', 'request', 'lastTotal', 'afterTotal'];
const TXN_PHASES: readonly Phase[] = ['first', 'request', 'secondRead', 'inSecondRead'];

const day = (month: number, date: number) => Date.UTC(2025, month - 1, date);
const PERIODS: readonly { readonly args: readonly string[]; readonly asked: Asked }[] = [
  { args: [], asked: {} },
  { args: [], asked: {} },
  { args: ['--period', '2025-02'], asked: { from: day(2, 1), to: day(3, 1) - 1 } },
  { args: ['--period', '2025-02'], asked: { from: day(2, 1), to: day(3, 1) - 1 } },
  { args: ['--from', '2025-02-10'], asked: { from: day(2, 10) } },
  { args: ['--to', '2025-02-20'], asked: { to: day(2, 21) - 1 } },
  { args: ['--to', '2100-12-31'], asked: { to: Date.UTC(2101, 0, 1) - 1 } },
];

/** The facts that every format of an export contains. */
function factsOf(leg: Leg): string {
  const { timestamp, transactionId, type, walletId, quantity, description, afterBalance } = leg;
  const balance = afterBalance === null ? '' : `${afterBalance}.000000000000000001`;
  return [timestamp, transactionId, type, walletId, quantity, description, balance].join('|');
}

/** Reads the rows and the manifest of an exported file. */
function exportedIn(path: string): { readonly verified: boolean; readonly rows: FileRow[] } {
  const manifestPath = `${path}.manifest.json`;
  if (!existsSync(path) || !existsSync(manifestPath)) return { verified: false, rows: [] };
  const text = readFileSync(path, 'utf8');
  const records: Record<string, unknown>[] = path.endsWith('.csv')
    ? parse(text, { columns: true })
    : text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)));
  const fields = [
    'timestamp',
    'transactionId',
    'type',
    'walletId',
    'quantity',
    'description',
    'afterBalance',
  ];
  return {
    verified: JSON.parse(readFileSync(manifestPath, 'utf8')).verified === true,
    rows: records.map((record) => ({
      id: String(record['id']),
      facts: fields.map((name) => record[name] ?? '').join('|'),
    })),
  };
}

function jsonIn({ stdout }: Ran): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

const fieldsIn = (value: unknown): Readonly<Record<string, unknown>> => Object(value);
const rowsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value : [];

async function exportLedgers({ random, folder, args, run }: Stage) {
  const path = join(folder, pick(random, ['legs.csv', 'legs.jsonl']));
  const ran = await run('ledgers', 'export', '--out', path, ...args);
  return { ran, path, exported: exportedIn(path) };
}

const exportOperation: Operation = {
  ...{ path: '/v1/ledgers', phases: READ_PHASES, commands: 1, filters: LEDGER_FILTERS, hasPeriod: true },
  async play(stage) {
    const { ran, exported } = await exportLedgers(stage);
    return judgeExport(ran, stage.selection, exported, factsOf);
  },
};

const verifyOperation: Operation = {
  ...{ path: '/v1/ledgers', phases: ['between', 'between', 'between', 'request', 'lastTotal'], commands: 2 },
  ...{ filters: LEDGER_FILTERS, hasPeriod: true },
  async play(stage) {
    const { random, selection, run } = stage;
    const { ran, path, exported } = await exportLedgers(stage);
    const found = judgeExport(ran, selection, exported, factsOf);
    if (!existsSync(path)) return found;
    const deep = random() < 0.4;
    const checked = await run('ledgers', 'verify', path, ...(deep ? ['--deep'] : []), '--json');
    // If the period has no end, the range of the file ends at the leg that was the last when the export began.
    const range = ended(selection, ran.states);
    return [...found, ...judgeVerify(checked, range, { ...exported, deep }, factsOf)];
  },
};

const txnsOperation: Operation = {
  ...{ path: '/v1/transactions', phases: TXN_PHASES, commands: 1, filters: TXN_FILTERS, hasPeriod: true },
  async play({ random, folder, args, selection, run }) {
    const path = join(folder, pick(random, ['txns.csv', 'txns.jsonl']));
    const ran = await run('txns', 'export', '--out', path, ...args);
    return judgeTransactions(ran, selection.asked, selection.filters, exportedIn(path));
  },
};

async function mirrorClaim(folder: string, before: ReadonlySet<string>): Promise<MirrorClaim> {
  const mirror = await openMirror(folder);
  const windows: { contentsVerifiedAt: number | undefined; legs: Map<string, string> }[] = [];
  for (const window of mirror.manifest.ledgers.windows) {
    const legs = new Map<string, string>();
    for await (const leg of mirror.legsOf(window)) legs.set(String(leg['id']), stringifyJson(leg));
    const at = window.contentsVerifiedAt;
    windows.push({ contentsVerifiedAt: at === null ? undefined : Date.parse(at), legs });
  }
  const snapshot = mirror.manifest.snapshots.transactions;
  const rows = new Map<string, string>();
  for await (const row of mirror.snapshot('transactions')) rows.set(String(row['id']), stringifyJson(row));
  const { verified } = mirror.manifest.lastRun;
  const transactions = snapshot && { verified: snapshot.verified, rows };
  return { verified, before, windows, transactions };
}

const mirrorOperation: Operation = {
  ...{ path: '/v1/ledgers', phases: ['between', 'between', 'between', ...READ_PHASES], commands: 2 },
  ...{ filters: [{}], hasPeriod: false },
  async play({ random, folder, run, service }) {
    const books = join(folder, 'books');
    const tables = pick(random, [[], ['--tables', 'transactions'], ['--tables', 'none']]);
    const found: Refutation[] = [];
    let before: ReadonlySet<string> = new Set();
    for (const _ of [1, 2]) {
      const ran = await run('mirror', books, ...tables, '--json', ...(random() < 0.15 ? ['--full'] : []));
      if (!existsSync(join(books, 'ledgers', '_delta_log'))) continue;
      const claim = await mirrorClaim(books, before);
      const transactions = ran.exit === 0 ? claim.transactions : undefined;
      const verified = claim.verified && fieldsIn(jsonIn(ran))['verified'] === true;
      found.push(...judgeMirror(ran, { ...claim, transactions, verified }, [...service.states]));
      before = new Set(claim.windows.flatMap(({ legs }) => [...legs.keys()]));
    }
    if (existsSync(join(books, 'ledgers', '_delta_log'))) await run('mirror', 'status', books, '--json');
    return found;
  },
};

const negativeOperation: Operation = {
  ...{ path: '/v1/ledgers', phases: ['first', 'request', 'request'], commands: 1, hasPeriod: true },
  filters: [{}, {}, { assetIds: 'ast_btc,ast_eth' }, { types: 'incoming' }],
  async play({ selection, args, run, script }) {
    const ran = await run('ledgers', 'negative', ...args, '--json');
    const episodes = rowsIn(jsonIn(ran)).map((episode) => ({ legs: Number(episode['legs']) }));
    const { total, ignoredFilters, where, earlyEnd, offset } = script.conduct;
    const isTrue = total === 'true' && ignoredFilters.length === 0 && earlyEnd === undefined;
    const totalsAreTrue = (isTrue && offset === 'obeyed') || where === 'transactions' || where === 'others';
    return judgeNegative(ran, selection, episodes, { totalsAreTrue });
  },
};

const auditOperation: Operation = {
  ...{ path: '/v1/ledgers', phases: READ_PHASES, commands: 1, filters: [{}], hasPeriod: true },
  async play({ selection, args, run }) {
    const ran = await run('audit', ...args, '--json');
    const { verified, legs, checks } = fieldsIn(jsonIn(ran));
    const remarks = rowsIn(checks)
      .map(({ why }) => String(why ?? ''))
      .join('\n');
    return judgeAudit(ran, selection, { verified: verified === true, legs: Number(legs), remarks });
  },
};

interface ListLine {
  readonly words: readonly string[];
  readonly path: string;
  readonly filters: readonly Readonly<Record<string, string>>[];
  /** The field with the id of a row. */
  readonly id: string;
}

const PROVIDER_FILTERS = [
  {},
  { type: 'exchange' },
  { featured: 'true' },
  { isWorking: 'true' },
  { search: 'p1' },
];
const LISTS: readonly ListLine[] = [
  { words: ['ledgers', 'list'], path: '/v1/ledgers', filters: LEDGER_FILTERS, id: 'id' },
  { words: ['txns', 'list'], path: '/v1/transactions', filters: TXN_FILTERS, id: 'id' },
  { words: ['providers', 'list'], path: '/v1/providers', filters: PROVIDER_FILTERS, id: 'id' },
  { words: ['labels'], path: '/v1/labels', filters: [{}], id: 'id' },
  { words: ['spam'], path: '/v1/spam', filters: [{}], id: 'id' },
  { words: ['holdings'], path: '/v1/holdings', filters: [{}], id: 'assetId' },
  { words: ['integrations'], path: '/v1/integrations', filters: [{}], id: 'walletId' },
];

const listOperation = ({ words, path, filters, id }: ListLine): Operation => ({
  path: path === '/v1/transactions' ? path : '/v1/ledgers',
  ...{ phases: ['first', 'request', 'request'], commands: 1, filters, hasPeriod: false },
  async play({ selection, args, run, service, script }) {
    const ran = await run(...words, '--all', ...args, '--json');
    const ids = rowsIn(jsonIn(ran)).map((row) => String(row[id]));
    const { offset, total, earlyEnd, hasMore, ignoredFilters } = script.conduct;
    const isCut = offset === 'ignored' || earlyEnd !== undefined;
    const showsAll = !isCut || (total !== 'missing' && hasMore === 'true');
    // If the service ignores a filter, the total is larger than the number of rows that the list should have.
    return judgeList(
      ran,
      path,
      selection.filters,
      ids,
      service.lists,
      showsAll && ignoredFilters.length === 0,
    );
  },
});

const OPERATIONS: Readonly<Record<string, Operation>> = {
  export: exportOperation,
  verify: verifyOperation,
  mirror: mirrorOperation,
  'txns export': txnsOperation,
  negative: negativeOperation,
  audit: auditOperation,
  ...Object.fromEntries(LISTS.map((line) => [line.words.join(' '), listOperation(line)])),
};

/** The order of operations over consecutive seeds. Exports come most often. */
const TURNS = [
  ...['export', 'verify', 'mirror', 'txns export', 'negative', 'list'],
  ...['export', 'verify', 'audit', 'txns export', 'mirror', 'list'],
];

export const operationOf = (seed: number): string => {
  const turn = TURNS[seed % TURNS.length] ?? 'export';
  const at = Math.floor(seed / 6) % LISTS.length;
  return turn === 'list' ? (LISTS[at]?.words.join(' ') ?? turn) : turn;
};

/** All operations and all phases, so that a test can check that the runs covered them. */
export const COVERED = { operations: Object.keys(OPERATIONS), phases: PHASES };

function flagsFor(filters: Readonly<Record<string, string>>): string[] {
  return Object.entries(filters).map(
    ([name, value]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${value}`,
  );
}

function exitOf(error: unknown, found: number): number {
  if (error === undefined) return found > 0 ? 10 : 0;
  if (error instanceof CryptodataError) return EXIT_CODES[error.kind];
  return error instanceof Error && error.constructor.name === 'CommanderError' ? 2 : 1;
}

/** Runs a command line, and records all that happens while it runs. */
async function runLine(service: Service, args: readonly string[]): Promise<Ran> {
  service.begin();
  const start = service.states.length - 1;
  const [before, at] = [service.requests, service.served.length];
  const env = {
    ...{ CRYPTODATA_BASE_URL: service.url, CRYPTODATA_AUTH_URL: service.url },
    CRYPTODATA_ACCESS_TOKEN: 'model-token',
  };
  const { stdout, stderr, error, found } = await endHere(args, env);
  const exit = exitOf(error, found);
  const message = error instanceof Error ? `\n${exit === 1 ? error.stack : error.message}` : '';
  return {
    ...{ args, exit, stdout, stderr: stderr + message },
    ended: service.requests <= MOST_REQUESTS,
    requests: service.requests - before,
    served: service.served.slice(at),
    states: service.states.slice(start),
  };
}

/** @param folder an empty folder, deleted afterwards */
export async function play(
  seed: number,
  folder: string,
  onWindowRows: (rows: number) => void,
): Promise<Verdict> {
  const operation = operationOf(seed);
  const played = OPERATIONS[operation];
  if (!played) throw new Error(`no operation ${operation}`);
  const random = seeded(seed * 7919 + 17);
  const filters = pick(random, played.filters);
  const period = played.hasPeriod ? pick(random, PERIODS) : { args: [], asked: {} };
  const conduct = makeConduct(random, Object.keys(filters));
  const count = Math.min(pick(random, [0, 1, 3, 20, 60, 90, 120, 230]), conduct.pageSize * 40);
  const windowRows = random() < 0.6 ? Math.max(40, Math.ceil(count / 3)) : 2000;
  onWindowRows(windowRows);
  const script: Script = {
    ...{ conduct, focus: period.asked, path: played.path, mostRequests: MOST_REQUESTS },
    changes: makeChanges(random, played.phases, played.commands),
    legs: makeLegs(random, count),
    mostRecords: Math.min(130, conduct.pageSize * 20),
  };
  const service = await startService(script, random);
  const commands: Ran[] = [];
  try {
    const refutations = await played.play({
      ...{ random, service, script, folder },
      selection: { asked: period.asked, filters },
      args: [...period.args, ...flagsFor(filters)],
      run: async (...args) => {
        const ran = await runLine(service, args);
        commands.push(ran);
        return ran;
      },
    });
    return {
      ...{ seed, operation, script, commands, hit: service.hit },
      refutations: [...commands.flatMap((ran) => judgeCommand(ran, windowRows)), ...refutations],
      claimed: commands.some(({ exit }) => exit === 0),
    };
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
