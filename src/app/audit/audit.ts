import type { Pair } from '../../books/asset.ts';
import { commandText, type NextCommand } from '../../books/audit/check.ts';
import type { CheckName } from '../../books/audit/checks/index.ts';
import { statementOf } from '../../books/audit/findings.ts';
import { type AuditResult, auditLegs } from '../../books/audit/index.ts';
import { READ_MARGIN } from '../../books/audit/margin.ts';
import type { Leg } from '../../books/leg.ts';
import { Scope } from '../../books/scope.ts';
import type { Context } from '../../context.ts';
import { exact } from '../../core/decimal.ts';
import { type CryptodataError, usageError } from '../../core/errors.ts';
import type { TimeValues } from '../../core/period.ts';
import { showText } from '../../core/text.ts';
import { isoText } from '../../formats/moments.ts';
import type { Accounts } from '../accounts.ts';
import {
  accountsOf,
  type BookLegs,
  type LegSource,
  legsUpTo,
  openedMirror,
  withBookLegs,
} from '../book-legs.ts';
import { legFlags } from '../leg-flags.ts';
import { findingChoice, pairChoice } from '../pair-choice.ts';
import type { Accepted } from './accepted.ts';
import { checksWithoutService, serviceData } from './service-checks.ts';
import { unjoinedSpam } from './spam.ts';

export interface AuditValues extends TimeValues, LegSource {
  readonly dust: string | undefined;
  readonly minTotalGains?: string | undefined;
  readonly check?: readonly CheckName[] | undefined;
  readonly wallet?: readonly string[] | undefined;
  readonly asset?: readonly string[] | undefined;
  /** The reason for accepting a finding, by the id of the finding. */
  readonly accepted?: Accepted | undefined;
}

export interface Audited extends AuditResult {
  readonly about: BookLegs;
  readonly accounts: Accounts;
  /** Whether the user selected a given pair of wallet and asset. */
  readonly isChosen: (pair: Pair) => boolean;
  /** Adds flags to a command, so that it reads the same legs. Undefined if only the service can answer it, and is not used. */
  readonly commandOf: (command: NextCommand) => string | undefined;
  /** A sentence that says why the audit may include findings on spam assets. */
  readonly spamLimit: string | undefined;
}

/**
 * Audits the books of a period.
 *
 * @param then callback that receives the audit, the legs up to the end of the period, and the legs up to 32 hours later; it
 *   may read the legs again
 * @throws usage error `MIXED_CURRENCIES` if `dust` is set, but the findings have several currencies or an unknown currency
 * @throws usage error `UNKNOWN_NAME` if a name matches neither a leg nor an account
 */
export async function withAudit<T>(
  context: Context,
  { file, mirror: given, dust, check, minTotalGains, wallet, asset, accepted, ...time }: AuditValues,
  then: (audited: Audited, legs: AsyncIterable<Leg>, around: AsyncIterable<Leg>) => Promise<T>,
): Promise<T> {
  const mirror =
    given === undefined || file !== undefined ? given : await openedMirror(context, given, time.snapshot);
  const accounts = await accountsOf(context, { file, mirror });
  return withBookLegs(
    context,
    { ...time, wallet, asset, file, mirror, margin: READ_MARGIN },
    async (legs, about) => {
      const { period, timeZone, missingFields } = about;
      const service =
        file === undefined && mirror === undefined
          ? await serviceData(context, minTotalGains, await legFlags(context, { ...time, wallet, asset }))
          : await checksWithoutService(typeof mirror === 'object' ? mirror : undefined);
      const scope = new Scope({
        ...{ period, now: context.now(), readFrom: about.readFrom, readTo: about.readTo },
        hasUniqueIds: about.hasUniqueIds,
        text: (at) => isoText(at, timeZone),
        isChosen: findingChoice({ wallet, asset }, accounts),
      });
      const commandOf = await commandsFor(context, { ...time, file, mirror });
      const result = await auditLegs(legs, {
        service: { ...service.data, spamAssetIds: service.spamAssets.ids },
        ...{ scope, missingFields, commandOf, checks: check, accepted, dust: exact(dust) ?? undefined },
      });
      const isChosen = pairChoice({ wallet, asset }, result.pairs, accounts);
      const { currencies } = result;
      if (dust !== undefined && (currencies.length > 1 || currencies[0] === ''))
        throw mixedCurrencies(currencies);
      return then(
        {
          ...result,
          ...{ about, accounts, isChosen, commandOf },
          spamLimit: service.spamLimit ?? unjoinedSpam(service.spamAssets, result.pairs),
        },
        legsUpTo(legs, period.to),
        legs,
      );
    },
  );
}

/**
 * Returns sentences with the numbers of findings of an audit (see {@link statementOf}). If the list of spam assets may be
 * incomplete, the last sentence says why.
 */
export function statementIn(
  { checks, spamLimit }: Pick<Audited, 'checks' | 'spamLimit'>,
  where: string,
): string[] {
  return [...statementOf(checks, where), ...(spamLimit === undefined ? [] : [spamLimit])];
}

/**
 * Returns a function that adds flags to a command. With these flags, a command that can read legs reads the same legs as the
 * audit. For a command about a leg before the period, the flags contain no period. All other commands have the same time zone,
 * workspace and profile as the audit. The function returns undefined if the legs are from a file or a mirror, and only the
 * service can answer the command.
 */
async function commandsFor(
  context: Context,
  { file, mirror, ...time }: TimeValues & LegSource,
): Promise<(command: NextCommand) => string | undefined> {
  const here = await legFlags(context, { ...time, file, mirror });
  const before = await legFlags(context, { snapshot: time.snapshot, file, mirror });
  const service = await legFlags(context, {});
  const isLocal = file !== undefined || mirror !== undefined;
  return (command) => {
    if (command.needsService) return isLocal ? undefined : commandText(command, service);
    return commandText(command, command.beforePeriod ? before : here);
  };
}

function mixedCurrencies(currencies: readonly string[]): CryptodataError {
  const names = currencies.map((name) => (name === '' ? 'an unknown currency' : showText(name)));
  const text = `Cannot apply --dust to values in ${names.join(' and ')}`;
  return usageError(text, 'Run the audit without --dust.', 'MIXED_CURRENCIES');
}
