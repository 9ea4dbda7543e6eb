import type { CheckName } from '../../books/audit/finding.ts';
import { type AuditResult, auditLegs } from '../../books/audit/index.ts';
import type { Context } from '../../context.ts';
import { exact } from '../../core/decimal.ts';
import { type CryptodataError, usageError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import type { TimeValues } from '../../core/period.ts';
import { showText } from '../../core/text.ts';
import { type BookLegs, type LegSource, openedMirror, withBookLegs } from '../book-legs.ts';
import { withLegFlags } from './next.ts';
import { checksOfService, checksWithoutService } from './service-checks.ts';
import { unjoinedSpam } from './spam.ts';

export interface AuditValues extends TimeValues, LegSource {
  readonly dust: string | undefined;
  readonly minTotalGains?: string | undefined;
  readonly check?: readonly CheckName[] | undefined;
}

export interface Audited extends AuditResult {
  readonly about: BookLegs;
  /** Why findings on spam assets may not be set aside, as a sentence. */
  readonly spamLimit: string | undefined;
}

/** Maps a field of a leg to the checks that need the field. */
const CHECKS_OF_FIELD: Readonly<Record<string, readonly CheckName[]>> = {
  beforeBalance: ['opening-balance', 'broken-chain', 'arithmetic'],
  afterBalance: ['negative-balance', 'unknown-balance', 'broken-chain', 'arithmetic'],
  price: ['missing-price'],
  assetId: ['missing-asset', 'missing-price'],
  costbasis: ['unfinished-accounting', 'profit'],
  proceeds: ['unfinished-accounting', 'profit'],
  profit: ['unfinished-accounting', 'profit'],
  debitCoaCode: ['half-posted'],
  creditCoaCode: ['half-posted'],
  label: ['unmatched-transfer'],
  fromAccount: ['unmatched-transfer'],
  toAccount: ['unmatched-transfer'],
};

/**
 * Audits the books up to the end of the period.
 *
 * @param then callback that receives the audit and the legs, and may read the legs again
 * @throws usage error `MIXED_CURRENCIES` if `dust` is set, but the findings have several currencies or an unknown currency
 */
export async function withAudit<T>(
  context: Context,
  { file, mirror: given, dust, check, minTotalGains, ...time }: AuditValues,
  then: (audited: Audited, legs: AsyncIterable<JsonRecord>) => Promise<T>,
): Promise<T> {
  const mirror = given === undefined || file !== undefined ? given : await openedMirror(given);
  return withBookLegs(context, { ...time, file, mirror }, async (legs, about) => {
    const until = Math.min(about.period.to ?? Number.POSITIVE_INFINITY, context.now());
    const service =
      file === undefined && mirror === undefined
        ? await checksOfService(context, until, minTotalGains)
        : await checksWithoutService(typeof mirror === 'object' ? mirror : undefined);
    const result = await auditLegs(legs, {
      period: about.period,
      fromStart: about.fromStart,
      dust: exact(dust) ?? undefined,
      checks: check,
      drafts: service.drafts,
      spamAssetIds: service.spamAssets.ids,
      notPossible: service.notPossible,
      withoutFields: notPossibleWithout(about.missingFields),
    });
    const { currencies } = result;
    if (dust !== undefined && (currencies.length > 1 || currencies[0] === ''))
      throw mixedCurrencies(currencies);
    const folder = typeof mirror === 'object' ? mirror.directory : mirror;
    const complete = withLegFlags({ file, mirror: folder, ...time });
    const findings = result.findings.map(complete);
    const setAside = result.setAside.map(complete);
    const spamLimit = service.spamLimit ?? unjoinedSpam(service.spamAssets, result.pairs);
    return then({ ...result, findings, setAside, about, spamLimit }, legs);
  });
}

function mixedCurrencies(currencies: readonly string[]): CryptodataError {
  const names = currencies.map((name) => (name === '' ? 'an unknown currency' : showText(name)));
  const text = `Cannot apply --dust to values in ${names.join(' and ')}`;
  return usageError(text, 'Run the audit without --dust.', 'MIXED_CURRENCIES');
}

function notPossibleWithout(fields: readonly string[]): Partial<Record<CheckName, string>> {
  const found: Partial<Record<CheckName, string>> = {};
  for (const field of fields) {
    for (const check of CHECKS_OF_FIELD[field] ?? []) found[check] ??= `The file has no column ${field}.`;
  }
  return found;
}
