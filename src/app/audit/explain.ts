import { ledgers, timeOf } from '../../api/ledgers.ts';
import { arrayOf, nullable, text, word } from '../../api/records.ts';
import { type Cause, transactionCommand } from '../../books/audit/check.ts';
import { checkNamed } from '../../books/audit/checks/index.ts';
import { historyBefore } from '../../books/audit/checks/opening-balance.ts';
import { type CheckResult, type Finding, limitTexts } from '../../books/audit/findings.ts';
import { Leg } from '../../books/leg.ts';
import { negativeEpisodes } from '../../books/negative.ts';
import { neighboursOf } from '../../books/neighbours.ts';
import type { LegInput } from '../../books/walk.ts';
import type { Values } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { type Note, type Outcome, warning } from '../../cli/outcome.ts';
import { made, ofSchema, oneOf, served } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { NotFoundError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { nameOfAsset } from '../../core/look-alikes.ts';
import { isWithin, type OpenSpan } from '../../core/span.ts';
import { isoText } from '../../formats/moments.ts';
import { openColumns } from '../../formats/open.ts';
import type { Accounts } from '../accounts.ts';
import { unverifiedErrorOf } from '../book-legs.ts';
import { legFlags } from '../leg-flags.ts';
import { withAudit } from './audit.ts';
import {
  CAUSE,
  CAUSE_COLUMNS,
  EXPLAINED_COLUMNS,
  FINDING,
  FINDING_COLUMNS,
  NEIGHBOUR_COLUMNS,
  namedFinding,
} from './columns.ts';
import type { auditFlags } from './flags.ts';
import { stakeText } from './overview.ts';

export const EXPLAINED = [
  oneOf(
    made({
      ledgerId: nullable(text),
      findings: arrayOf(ofSchema(FINDING)),
      causes: arrayOf(ofSchema(CAUSE)),
      action: nullable(text),
      legs: arrayOf(
        ofSchema(
          served({ place: word('before', 'here', 'after', 'deepest', 'deepestOfAll'), ...ledgers.record }),
        ),
      ),
      next: text,
    }),
  ),
];

export const EXPLAINED_PRINTS = `The finding, its likely causes with evidence, and legs of the same wallet and asset: up to ten before the finding and five after, and the legs with the lowest balances of an episode below zero.
json: { ledgerId, findings, causes, legs, action, next }; "action" is the recommended step, and "next" is a command that shows more. The field "place" shows where a leg is relative to the finding: before, here or after. For an episode below zero, it also marks the lowest balance in the period (deepest), and in the whole episode (deepestOfAll).`;
export const EXPLAIN_EXITS = [...SERVICE_EXITS, 5, 12];

interface Choice {
  readonly ledgerId: string | undefined;
  readonly found: readonly Finding[];
}

/**
 * Explains findings, and shows the legs around one leg.
 *
 * @param choose returns the findings to explain and the id of the leg; `audit` is the command that lists all findings
 */
export async function explain(
  context: Context,
  flags: Values<typeof auditFlags>,
  choose: (findings: readonly Finding[], audit: string) => Choice,
): Promise<Outcome> {
  context.progress().update('Reading legs');
  const audit = `cryptodata audit${await legFlags(context, flags)}`;
  return withAudit(context, flags, async (audited, legs) => {
    const { accounts, checks, findings, setAside, pairs, about, commandOf } = audited;
    const { ledgerId, found } = choose([...findings, ...setAside], audit);
    const lowest =
      ledgerId !== undefined && found.length > 0
        ? await lowestIn(legs, about.period, ledgerId)
        : new Map<string, string>();
    const known = await neighboursOf(legs, [...(ledgerId === undefined ? [] : [ledgerId]), ...lowest.keys()]);
    const around = ledgerId === undefined ? undefined : known.get(ledgerId);
    if (ledgerId !== undefined && !around) {
      throw new NotFoundError(
        'NO_LEG',
        `No leg up to the end of the period has the id ${JSON.stringify(ledgerId)}`,
        {
          hint: 'Copy the id from the output of "cryptodata ledgers" or "cryptodata audit".',
        },
      );
    }
    const near = [
      ...(around?.before ?? []).map(placed('before')),
      ...(around ? [placed('here')(around.leg)] : []),
      ...(around?.after ?? []).map(placed('after')),
    ];
    const far = [...lowest].flatMap(([id, place]) => {
      const found = near.some((leg) => leg['id'] === id) ? undefined : known.get(id);
      return found ? [placed(place)(found.leg)] : [];
    });
    const shown = [...near, ...far];
    const named = found.map((finding) => namedFinding(finding, accounts));
    const causes = distinct(found.flatMap((finding) => finding.causes)).map((cause) => ({
      ...cause,
      action: withNames(cause.action, found, accounts),
    }));
    const action = causes[0]?.action ?? actionWithoutCause(found, accounts, about.timeZone);
    // The next step of a finding about a leg is `ledgers explain` for this leg. Do not suggest it, because this command has just
    // explained the leg.
    const { transactionId } = new Leg(around?.leg ?? {});
    const transaction = transactionId === '' ? undefined : commandOf(transactionCommand(transactionId));
    const next = causes[0]?.next ?? (around ? transaction : found[0]?.next) ?? audit;
    const isTable = (await context.format()) === 'table';
    return {
      kind: 'record',
      record: isTable
        ? {
            problem: found.map(({ message }) => message).join(' ') || 'No finding points to this leg.',
            ...stakesOf(found, about.timeZone),
            action,
            next,
          }
        : { ledgerId: ledgerId ?? null, findings: named, causes, legs: shown, action, next },
      columns: isTable ? EXPLAINED_COLUMNS : openColumns,
      parts: [
        { title: 'Findings', rows: named, columns: FINDING_COLUMNS },
        { title: 'Likely causes', rows: causes, columns: CAUSE_COLUMNS },
        { title: 'Legs of the same wallet and asset', rows: shown, columns: NEIGHBOUR_COLUMNS },
      ].filter(({ rows }) => rows.length > 0),
      notes: () => [
        ...(found.length === 0 ? outsideNote(around?.leg, about.period) : []),
        ...noCauseNote(found, checks),
        ...accounts.notes(pairs.map(({ walletId }) => walletId)),
      ],
      failed: () => unverifiedErrorOf(about),
    };
  });
}

/**
 * For each episode below zero that contains the leg, finds the legs with the lowest balance in the period and in the whole
 * episode. Maps the ids of these legs to the values of `place`.
 */
async function lowestIn(
  legs: LegInput,
  period: OpenSpan,
  ledgerId: string,
): Promise<ReadonlyMap<string, string>> {
  const { episodes } = await negativeEpisodes(legs, { period, wanted: (id) => id === ledgerId });
  const lowest = episodes.flatMap(({ deepest, deepestOfAll }): [string, string][] => [
    [deepestOfAll.id, 'deepestOfAll'],
    [deepest?.id ?? '', 'deepest'],
  ]);
  return new Map(lowest.filter(([id]) => id !== '' && id !== ledgerId));
}

/**
 * The values at stake in findings, with the dates of their prices. If the values differ, each value also has the name of its
 * check. Empty if no value is known.
 */
function stakesOf(found: readonly Finding[], timeZone: string): { readonly atStake?: string } {
  const texts = found.flatMap(({ check, amount, assetId, symbol, value, baseCurrency, pricedAt }) => {
    if (value === null || baseCurrency === null) return [];
    const price = pricedAt === null ? '' : `, at the price of ${isoText(pricedAt, timeZone).slice(0, 10)}`;
    const of = amount === null ? '' : ` (${amount} ${nameOfAsset({ symbol, assetId }, '')}${price})`;
    return { check, text: `${stakeText({ value, baseCurrency })}${of}` };
  });
  const isSame = new Set(texts.map(({ text }) => text)).size <= 1;
  const shown = new Set(texts.map(({ check, text }) => (isSame ? text : `${check}: ${text}`)));
  return shown.size === 0 ? {} : { atStake: [...shown].join('; ') };
}

/** Removes duplicates. Several findings about one leg often have the same cause. */
function distinct(causes: readonly Cause[]): Cause[] {
  return [...new Map(causes.map((cause) => [`${cause.cause}\n${cause.evidence}`, cause])).values()];
}

function placed(place: string) {
  return (leg: JsonRecord): JsonRecord => ({ place, ...leg });
}

/** Replaces account ids in an action with account names. */
function withNames(action: string, found: readonly Finding[], accounts: Accounts): string {
  return found.reduce((text, { walletId }) => {
    const name = accounts.nameOf(walletId);
    return walletId === null || name === undefined ? text : text.replaceAll(`wallet ${walletId}`, () => name);
  }, action);
}

/**
 * The fix of the first finding. No leg can explain an opening balance. The fix for such a finding is to import the earlier
 * history.
 */
function actionWithoutCause(found: readonly Finding[], accounts: Accounts, timeZone: string): string | null {
  const opening = found.find(({ check }) => check === 'opening-balance');
  if (!opening) return found[0] ? checkNamed(found[0].check).fix : null;
  const day = isoText(opening.timestamp, timeZone).slice(0, 10);
  return withNames(historyBefore(opening.walletId, day), found, accounts);
}

/**
 * Warns that the leg is outside the period. Findings about such a leg are not reported, so a missing finding does not mean that
 * the leg is correct.
 */
function outsideNote(leg: JsonRecord | undefined, period: OpenSpan): Note[] {
  if (!leg || isWithin(timeOf(leg), period)) return [];
  const text =
    'The leg is before the period, so findings about it are not reported. Omit the period to see them.';
  return [warning(text)];
}

/**
 * Adds a note if no likely cause was found. If the search was incomplete, the note also lists the limits of the checks that
 * find causes.
 */
function noCauseNote(found: readonly Finding[], checks: readonly CheckResult[]): Note[] {
  const hasEffect = found.some(({ check }) => checkNamed(check).isEffect);
  if (!hasEffect || found.some(({ causes }) => causes.length > 0)) return [];
  const searched = checks.filter(({ check }) => checkNamed(check).cause);
  const limits = [false, true].flatMap((isPossible) => limitTexts(searched, isPossible));
  const text = 'No likely cause was found. Some transactions of the account may not have been imported.';
  return [{ text: limits.length === 0 ? text : `${text} Not everything was checked. ${limits.join(' ')}` }];
}
