import { accountingFields } from '../api/ledgers.ts';
import { LegFaults } from '../books/faults.ts';
import { LEG_PATHS, type Leg } from '../books/leg.ts';
import { textFlag } from '../cli/flags.ts';
import { type Note, warning } from '../cli/outcome.ts';
import type { Context } from '../context.ts';
import { Batches } from '../core/batches.ts';
import { Claim } from '../core/claim.ts';
import { type CryptodataError, unverifiedError, usageError } from '../core/errors.ts';
import { instantOf, knownInstant } from '../core/instant.ts';
import { isRecord } from '../core/json.ts';
import type { SpanNames, TimeValues } from '../core/period.ts';
import { isAfterSpan, type OpenSpan } from '../core/span.ts';
import { showText } from '../core/text.ts';
import { holdsField } from '../export/compared-file.ts';
import type { Manifest } from '../export/manifest.ts';
import { openSpanIn } from '../export/verify.ts';
import { momentText, spanText } from '../formats/moments.ts';
import { claimsOf, type LegClaims } from '../mirror/claims.ts';
import type { Mirror } from '../mirror/open.ts';
import { Accounts } from './accounts.ts';
import { exportedLegs } from './exported-legs.ts';
import { legFile } from './leg-file.ts';
import { settingFromFlag } from './leg-flags.ts';
import { rangeOf, servedRange, type TimeRange } from './leg-range.ts';
import { withLegsByTime } from './legs-by-time.ts';
import { openBooks, snapshotFlag } from './mirror-choice.ts';
import type { GivenPairs } from './pair-choice.ts';
import { noteScope, spanIn } from './period.ts';
import { withServedLegs } from './served-legs.ts';

/** Flags for commands that can read legs from a file or a mirror instead of the service. */
export const sourceFlags = {
  file: {
    ...textFlag(
      '--file <file>',
      'exported file to read instead of the service (csv, json or jsonl, with its manifest)',
    ),
    oneProfile: 'A file contains the legs of one profile. Choose one profile: -p NAME.',
  },
  mirror: textFlag(
    '--mirror <folder>',
    'mirror folder to read instead of the service; if it contains several workspaces, choose with -p or --workspace',
  ),
  snapshot: snapshotFlag,
};

/** The source of legs: an export (`file`) or a mirror. If both fields are undefined, the source is the service. */
export interface LegSource {
  readonly file?: string | undefined;
  /** The folder of the mirror, or an open mirror if the command must read the same snapshot more than once. */
  readonly mirror?: string | Mirror | undefined;
  /** Selects an earlier state of the mirror. */
  readonly snapshot?: string | undefined;
}

/** Loads the Parquet reader only when a mirror is read, because the reader is large. */
export async function openedMirror(
  context: Context,
  mirror: string | Mirror,
  snapshot?: string,
): Promise<Mirror> {
  return typeof mirror === 'string' ? openBooks(context, mirror, snapshot) : mirror;
}

/** Returns the account names. A file contains ids but no names, and a mirror may lack the accounts. */
export async function accountsOf(context: Context, { file, mirror, snapshot }: LegSource): Promise<Accounts> {
  if (mirror !== undefined) {
    const held = await openedMirror(context, mirror, snapshot);
    return held.manifest.snapshots.integrations ? Accounts.of(held.snapshot('integrations')) : Accounts.none;
  }
  return file === undefined ? Accounts.read(context) : Accounts.none;
}

/**
 * Returns a function that says whether the legs contain every wallet of an asset. The function receives the number of wallets
 * in which the asset has legs. A file that does not start with the first leg of the books may lack wallets, unless `--wallet`
 * names every wallet.
 */
export function allWallets({ fromStart }: BookLegs, { wallet }: GivenPairs): (wallets: number) => boolean {
  const named = wallet && new Set(wallet.map((name) => name.toLowerCase())).size;
  return (wallets) => fromStart || wallets === named;
}

/**
 * Warns if a file does not start with the first leg of the books. Wallets and assets with only earlier legs are then missing.
 */
export function startNotes({ fromStart }: BookLegs): Note[] {
  if (fromStart) return [];
  const text =
    'The file has no legs from before the exported period. Wallets and assets that have only older legs are missing.';
  return [warning(text)];
}

/** Returns an error if the legs are not verified. */
export function unverifiedErrorOf({ unverified, remedy }: BookLegs): CryptodataError | undefined {
  const why = unverified();
  return why === undefined ? undefined : unverifiedError(`The result is not verified: ${why}`, remedy);
}

/** The legs up to the end of a period, and whether they are verified. */
export interface BookLegs {
  readonly period: OpenSpan;
  /** Time zone of days and months. */
  readonly timeZone: string;
  /** Whether the legs start with the first leg of the books. */
  readonly fromStart: boolean;
  /** The time from which every leg was read; undefined if the legs start with the first leg of the books. */
  readonly readFrom?: number | undefined;
  /** The time up to which every leg was read; undefined if the legs were read up to the end of the books. */
  readonly readTo: number | undefined;
  /** Whether every id is known to occur only once, before the legs are read. A verified export has no duplicate ids. */
  readonly hasUniqueIds: boolean;
  /** Returns why legs may be missing; undefined if the legs are verified. Call this function after reading the legs. */
  unverified(): string | undefined;
  /** Advice for the user if the legs are not verified. */
  readonly remedy: string;
  /** Fields that are missing from the file. */
  readonly missingFields: readonly string[];
  readonly origin: LegOrigin;
  /** The legs of the period with fields that do not match the specification. Complete after all legs have been read once. */
  readonly faults: LegFaults;
  /** Returns the times of the first and the last leg of the books, regardless of the period. */
  range(): Promise<TimeRange>;
}

/** Where the legs come from, and whether they are complete. */
interface LegOrigin {
  readonly address: unknown;
  /** The workspace of the legs; null if the credentials do not identify a workspace. */
  readonly workspace: unknown;
  /** A sentence, without the full stop, about whether the legs are complete. */
  readonly statement: string;
  /** A sentence for clients that says that no leg is missing. Used only if the legs are verified. */
  readonly noneMissing: string;
}

/**
 * Columns that every command needs. The asset columns are needed because quantities of different assets must not be added up.
 */
const NEEDED = 'id transactionId type quantity timestamp walletId assetId asset.symbol assetRaw.symbol'.split(
  ' ',
);
/** Columns with amounts in the base currency. */
const MONEY = ['price.price', 'value', ...accountingFields];
const FIGURES: readonly string[] = [...MONEY, 'beforeBalance', 'afterBalance'];

/**
 * Calls `use` with all legs up to the end of the period, ordered by time. The legs come from the service, a file or a mirror.
 * Legs from the service are verified in the same way as the legs of an export. A file must have been written by
 * `ledgers export`.
 *
 * @throws usage error if the file is filtered, if columns are missing, or if the file does not cover the period
 * @throws CryptodataError `DAMAGED_FILE` or `FILE_CHANGED` if the file is not the exported file
 * @throws CryptodataError if the service cannot be read
 */
export async function withBookLegs<T>(
  context: Context,
  { file, mirror, snapshot, ...time }: BookTime & LegSource,
  use: (legs: AsyncIterable<Leg>, about: BookLegs) => Promise<T>,
): Promise<T> {
  if (file !== undefined && mirror !== undefined) {
    throw usageError('--file and --mirror cannot be used together', 'Omit one of them.');
  }
  const judged: Use<T> = (legs, about) => {
    const faults = new LegFaults();
    return use(withFaults(legs, about.period, faults), { ...about, faults });
  };
  checkSnapshot(mirror, snapshot);
  if (mirror !== undefined) return fromMirror(context, { mirror, snapshot }, time, judged);
  return file === undefined ? fromService(context, time, judged) : fromFile(context, file, time, judged);
}

/** @throws usage error if a snapshot is chosen without a mirror */
export function checkSnapshot(mirror: LegSource['mirror'], snapshot: string | undefined): void {
  if (snapshot === undefined || mirror !== undefined) return;
  throw usageError('--snapshot needs --mirror', 'A snapshot is a state of a mirror: add --mirror FOLDER.');
}

type Use<T> = (legs: AsyncIterable<Leg>, about: Omit<BookLegs, 'faults'>) => Promise<T>;

/** Counts the faults of the legs during the first complete read. */
function withFaults(legs: AsyncIterable<Leg>, period: OpenSpan, faults: LegFaults): AsyncIterable<Leg> {
  let isCounted = false;
  return new Batches(async function* () {
    if (!isCounted) faults.clear();
    for await (const batch of Batches.of(legs)) {
      if (!isCounted) for (const leg of batch) faults.addWithin(period, leg);
      yield batch;
    }
    isCounted = true;
  });
}

/**
 * The values of the period flags, and the wallets and assets that the command shows. `spanNames` contains the names of the
 * period flags if the command does not use the default names.
 */
type BookTime = TimeValues & {
  readonly spanNames?: SpanNames;
  /** The number of milliseconds after the period for which legs are also read (default: 0). */
  readonly margin?: number;
} & GivenPairs;

async function fromService<T>(
  context: Context,
  { spanNames, margin = 0, ...time }: BookTime,
  use: Use<T>,
): Promise<T> {
  const { timeZone } = await context.view();
  const period = await spanIn(context, time, spanNames);
  noteScope(context, spanText(period, timeZone), time);
  const readTo = period.to === undefined ? undefined : period.to + margin;
  const readAt = context.now();
  return withServedLegs(context, readTo, (legs, { claim, manifest, remedy }) =>
    use(legs, {
      ...{ period, timeZone, fromStart: true, missingFields: [], origin: originOf(manifest) },
      readTo: earliest(readTo, readAt),
      hasUniqueIds: manifest.verified,
      range: async () => (await servedRange(await context.client(), {})).range,
      unverified: () => claim.why,
      remedy,
    }),
  );
}

async function fromFile<T>(
  context: Context,
  path: string,
  { spanNames, margin = 0, ...time }: BookTime,
  use: Use<T>,
): Promise<T> {
  const { file, manifest, form } = await legFile(path, context.signal);
  checkFilters(path, manifest);
  const missingFields = fieldsMissingIn(manifest);
  checkColumns(path, manifest);
  noteMissing(context, missingFields);
  const isGiven = settingFromFlag(await context.settings(), 'tz') !== undefined;
  const timeZone =
    !isGiven && typeof form['timeZone'] === 'string' ? form['timeZone'] : (await context.view()).timeZone;
  const span = openSpanIn(manifest.request['span']);
  const given = await spanIn({ ...context, view: async () => ({ timeZone }) }, time, spanNames);
  const period = within(path, span, given, timeZone);
  noteScope(context, spanText(period, timeZone), time);
  const read = () => exportedLegs(file);
  const until = period.to === undefined ? undefined : period.to + margin;
  return withLegsByTime({ read, until }, (legs) =>
    use(legs, {
      ...{ period, timeZone, missingFields, fromStart: span.from === undefined },
      readFrom: span.from,
      readTo: earliest(until, span.to, readAtOf(manifest)),
      hasUniqueIds: manifest.verified,
      origin: originOf(manifest),
      range: () => rangeOf(read()),
      unverified: () => (manifest.verified ? undefined : manifest.statement),
      remedy: 'Export the ledgers again.',
    }),
  );
}

async function fromMirror<T>(
  context: Context,
  { mirror: given, snapshot }: { readonly mirror: string | Mirror; readonly snapshot?: string | undefined },
  { spanNames, margin = 0, ...time }: BookTime,
  use: Use<T>,
): Promise<T> {
  const mirror = await openedMirror(context, given, snapshot);
  const { timeZone } = await context.view();
  const period = await spanIn(context, time, spanNames);
  noteScope(context, spanText(period, timeZone), time);
  const { address, workspace } = mirror.manifest;
  const readTo = period.to === undefined ? undefined : period.to + margin;
  const span = readTo === undefined ? {} : { to: readTo };
  const claims = claimsOf(mirror, span);
  const statement = shownStatement(claims, timeZone);
  context.noteLater(`${statement}.`);
  if ((period.to ?? context.now()) > knownInstant(claims.readAt)) {
    context.noteLater(`Add later legs with: ${mirror.update}`);
  }
  return withLegsByTime({ read: () => mirror.legs(span), until: readTo }, (legs) =>
    use(legs, {
      ...{ period, timeZone, fromStart: true, missingFields: [] },
      readTo: earliest(readTo, knownInstant(claims.readAt)),
      hasUniqueIds: false,
      origin: { address, workspace, statement, noneMissing: noneMissingIn(claims, timeZone) },
      range: () => rangeOf(mirror.legs()),
      unverified: () => claims.claim.why,
      remedy: `Update the mirror: ${mirror.update}`,
    }),
  );
}

/** Returns the completeness statement of a mirror, with times in `timeZone`. */
export function shownStatement(claims: LegClaims, timeZone: string): string {
  return claims.claim.sentence((time) => momentText(knownInstant(time), timeZone));
}

function originOf({ request: { address, workspace }, statement }: Manifest): LegOrigin {
  const noneMissing = Claim.verified({ by: 'number of legs' }).text();
  return { address, workspace, statement, noneMissing };
}

function noneMissingIn({ idsVerifiedAt, readAt, countsVerifiedAt }: LegClaims, timeZone: string): string {
  const show = (time: string) => `${momentText(knownInstant(time), timeZone)} (${timeZone})`;
  const upTo = show(idsVerifiedAt ?? readAt);
  const countedAt = countsVerifiedAt === null ? undefined : show(countsVerifiedAt);
  return Claim.verified({ by: 'number of legs', upTo, countedAt }).text();
}

/** @throws usage error if the file was exported with filters */
function checkFilters(path: string, manifest: Manifest): void {
  const { filters, filteredInTool } = manifest.request;
  const names = Object.keys(isRecord(filters) ? filters : {}).filter(
    (key) => isRecord(filters) && filters[key] !== undefined && filters[key] !== null,
  );
  if (filteredInTool !== undefined) names.push('--wallet or --asset');
  if (names.length > 0) {
    throw usageError(
      `${showText(path)} contains only the legs that match ${names.join(', ')}`,
      'Export the ledgers again without filters: cryptodata ledgers export --out ledgers.jsonl',
      'FILTERED_FILE',
    );
  }
}

/**
 * @throws usage error if the file lacks a required column. If the file has a column of amounts, `baseCurrency` is also
 *   required; for prices and values, the currency of the price too.
 */
function checkColumns(path: string, { columns }: Manifest): void {
  if (columns === null) return;
  const isPresent = (field: string) => holdsField(columns, field);
  const needed = [
    ...NEEDED,
    ...(MONEY.some(isPresent) ? ['baseCurrency'] : []),
    // The value of a leg is in the currency of the price.
    ...(isPresent('price.price') || isPresent('value') ? ['price.baseCurrency'] : []),
  ];
  const missing = needed.filter((field) => !isPresent(field));
  if (missing.length === 0) return;
  throw usageError(
    `${showText(path)} has no column ${missing.join(', ')}`,
    'Export the ledgers again without --columns.',
    'MISSING_COLUMNS',
  );
}

/** Returns the paths of the fields that a leg reads but the file lacks. */
function fieldsMissingIn({ columns }: Manifest): string[] {
  return columns === null ? [] : LEG_PATHS.filter((path) => !holdsField(columns, path));
}

/** Warns about figures that the file lacks. Missing figures count as unknown, but the service may have values for them. */
function noteMissing(context: Context, missing: readonly string[]): void {
  const figures = missing.filter((path) => FIGURES.includes(path));
  if (figures.length === 0) return;
  const columns = figures.length === 1 ? 'column' : 'columns';
  context.noteLater(
    `The file lacks the ${columns} ${figures.join(', ')}. These figures are therefore unknown, even if the service has them.`,
  );
}

/**
 * Returns the requested period. If the request has no start or no end, the start or end of the file is used.
 *
 * @throws usage error if the requested period is not within the period of the file
 */
function within(path: string, file: OpenSpan, given: OpenSpan, timeZone: string): OpenSpan {
  const outside =
    (file.from !== undefined && given.from !== undefined && given.from < file.from) ||
    (file.to !== undefined && given.to !== undefined && given.to > file.to);
  if (outside) {
    throw usageError(
      `${showText(path)} contains only ${spanText(file, timeZone) ?? 'part of the books'}`,
      'Choose a period within the exported period, or export the ledgers again.',
      'OUTSIDE_FILE',
    );
  }
  return { ...file, ...given };
}

/** Returns the earliest of the known times; undefined if none is known. */
function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/**
 * The time at which the export of a file began to read, in Unix milliseconds; undefined if the manifest does not contain this
 * time.
 */
function readAtOf({ t0 }: Manifest): number | undefined {
  const at = isRecord(t0) ? t0['at'] : undefined;
  return typeof at === 'string' ? instantOf(at) : undefined;
}

/** Returns the legs up to the end of a period. Legs without a time are included. */
export function legsUpTo(legs: AsyncIterable<Leg>, to: number | undefined): AsyncIterable<Leg> {
  if (to === undefined) return legs;
  const isIncluded = ({ time }: Leg) => !isAfterSpan(time, { to });
  return new Batches(async function* () {
    for await (const batch of Batches.of(legs)) yield batch.filter(isIncluded);
  });
}
