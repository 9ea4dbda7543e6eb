import { count, plural } from './text.ts';

/** A comparison whose sides are verified. If a read is not verified, some rows may never have been compared. */
interface Verified {
  /** Always undefined: a text would be the reason why a side is not verified. */
  readonly unverified: undefined;
}

/**
 * The comparison behind a claim. Times are in ISO 8601. The time of a comparison that was never made is null. `range` describes
 * the time range of the comparison, with a leading comma.
 */
export type Evidence =
  /** Every window's ids were counted, and the service's totals at T0 and T1 confirm the number. */
  | { readonly by: 'totals'; readonly t0: string; readonly t1: string }
  /** Two reads between T0 and T1 returned the same records, and the service's total confirms their number. */
  | { readonly by: 'two reads'; readonly t0: string; readonly t1: string }
  /** One read of a list returned as many records as the service reports. */
  | { readonly by: 'count'; readonly readAt: string }
  /** A mirror. All additions and deletions before `idsAt` were found. Every field was read at `contentsAt` or later. */
  | {
      readonly by: 'mirror';
      readonly readAt: string;
      readonly countsAt: string | null;
      readonly idsAt: string | null;
      readonly contentsAt: string | null;
    }
  /**
   * A run of a mirror. `unread`: number of windows that were not read again. `ids`: whether every added and deleted leg was
   * found.
   */
  | { readonly by: 'mirror run'; readonly unread: number; readonly ids: boolean }
  /** The service's number of legs today equals the number at the export. `beside`: legs within a millisecond of the range. */
  | { readonly by: 'number'; readonly legs: number; readonly beside: number; readonly range: string }
  /** Every field of the legs, or every sum, was compared with a read of today. `what` is a noun phrase, such as `12 legs`. */
  | (Verified & {
      readonly by: 'contents';
      readonly what: string;
      readonly sums: boolean;
      readonly range: string;
    })
  /**
   * The bytes of a file match its manifest. `rows` is undefined if the rows were not counted; `uncounted` contains the reason.
   */
  | {
      readonly by: 'bytes';
      readonly file: string;
      readonly rows: number | undefined;
      readonly uncounted: string | undefined;
    }
  /** The legs, the roll-forward and the balances are the same in a filing pack and in the service or a mirror. */
  | (Verified & { readonly by: 'pack'; readonly legs: number; readonly other: string })
  /** The number of legs equals the service's totals. For a mirror: the number of legs up to `upTo`, counted at `countedAt`. */
  | { readonly by: 'number of legs'; readonly upTo?: string; readonly countedAt?: string | undefined }
  /** The files of a filing pack have the hashes that are listed in its SHA256SUMS and in its close.json. */
  | { readonly by: 'files' }
  /** Every field that both sides have was compared. `isWhole`: both sides have the same fields. */
  | (Verified & { readonly by: 'diff'; readonly legs: number; readonly isWhole: boolean })
  /** The counts and sums of the tables are the same in a database and in a mirror. */
  | { readonly by: 'load' };

/**
 * A statement about rows, with the comparison that proves it. All statements about successful comparisons are worded in this
 * file, so that none claims more than was compared.
 */
export class Claim {
  /** The comparison that was made; undefined if nothing was compared. */
  readonly evidence: Evidence | undefined;
  /** Why the claim does not hold; undefined if it holds. */
  readonly why: string | undefined;

  private constructor(evidence: Evidence | undefined, why: string | undefined) {
    this.evidence = evidence;
    this.why = why;
  }

  static verified(evidence: Evidence): Claim {
    return new Claim(evidence, undefined);
  }

  /** @param evidence a comparison that succeeded in this run or earlier */
  static not(why: string, evidence?: Evidence): Claim {
    return new Claim(evidence, why);
  }

  get verified(): boolean {
    return this.why === undefined;
  }

  /**
   * Returns a clause without a full stop, for records and manifests.
   *
   * @param show formats a time
   */
  sentence(show: (time: string) => string = (time) => time): string {
    const said = this.evidence === undefined ? '' : sentenceOf(this.evidence, show);
    if (this.why === undefined) return said;
    // Append the comparison that succeeded, because its result is still true.
    return `not verified: ${this.why}${said === '' ? '' : ` (${said})`}`;
  }

  /** Returns a complete sentence, for messages. */
  text(): string {
    // All sentences except "verified" and "not verified" already begin with a capital letter or a file name.
    return `${this.sentence().replace(/^verified|^not verified/, (first) => `${first.charAt(0).toUpperCase()}${first.slice(1)}`)}.`;
  }
}

function sentenceOf(evidence: Evidence, show: (time: string) => string): string {
  switch (evidence.by) {
    case 'totals':
      return `verified against the service's totals at ${times(evidence, show)}; a leg that was edited, moved to another time or deleted between these times may be missing or outdated`;
    case 'two reads':
      return `verified against the service's totals at ${times(evidence, show)}: two reads returned the same records`;
    case 'count':
      return `verified, read at ${show(evidence.readAt)}`;
    case 'mirror':
      return mirrorSentence(evidence, show);
    case 'mirror run':
      return runSentence(evidence);
    case 'number': {
      const more =
        evidence.beside === 0
          ? ''
          : `, and ${plural(evidence.beside, 'leg', 'legs')} within a millisecond of the range`;
      return `The service has the same number of legs today: ${plural(evidence.legs, 'leg', 'legs')}${evidence.range}${more}. The contents of the legs were not compared. To compare them, use --deep`;
    }
    case 'contents':
      return evidence.sums
        ? `The sums of ${evidence.what} were computed again and are the same today`
        : `The contents of ${evidence.what} were compared${evidence.range} and are the same today`;
    case 'bytes': {
      const { file, rows, uncounted } = evidence;
      const rest =
        rows === undefined ? `; ${uncounted}` : ` and ${plural(rows, 'row', 'rows')}, as in the manifest`;
      return `${file} is unchanged since the export: it has the same bytes (SHA-256)${rest}`;
    }
    case 'pack':
      return `All ${count(evidence.legs)} legs of the period, the roll-forward and the balances match the ${evidence.other}. Legs before the period were not compared one by one`;
    case 'number of legs': {
      const { upTo, countedAt } = evidence;
      return upTo === undefined
        ? "According to the service's totals, no leg is missing: the number of legs matched the totals before and after the read"
        : `According to the service's totals, no leg up to ${upTo} is missing: at ${countedAt}, the number of legs matched the totals`;
    }
    case 'files':
      return 'The files are unchanged';
    case 'diff':
      return `${plural(evidence.legs, 'leg is', 'legs are')} the same${evidence.isWhole ? '' : ' in the columns that were compared'}`;
    case 'load':
      return 'Committed: the counts and sums of every table match the mirror';
  }
}

function times({ t0, t1 }: { readonly t0: string; readonly t1: string }, show: (time: string) => string) {
  return `T0 (${show(t0)}) and T1 (${show(t1)})`;
}

function mirrorSentence(
  { readAt, countsAt, idsAt, contentsAt }: Extract<Evidence, { by: 'mirror' }>,
  show: (time: string) => string,
): string {
  const state = `The mirror contains the legs as of ${show(idsAt ?? readAt)}`;
  if (countsAt === null || contentsAt === null) return state;
  return `${state}; the number of legs was verified at ${show(countsAt)}, and every field was read at ${show(contentsAt)} or later`;
}

function runSentence({ unread, ids }: Extract<Evidence, { by: 'mirror run' }>): string {
  const windows = `${plural(unread, 'time window that was', 'time windows that were')} not read again`;
  if (unread === 0)
    return "Verified: every field was read, and the number of legs equals the service's total";
  return ids
    ? `Verified with the service's list of legs by creation time: every added and deleted leg was found, and the number of legs equals the service's total. Edits may be missing in ${windows}. To find all edits, use --full`
    : `Verified: the number of legs equals the service's total. Additions, deletions and edits may be missing in ${windows}. To find all of them, use --full`;
}
