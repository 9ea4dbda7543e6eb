import { readFile } from 'node:fs/promises';
import { CHECKS, type Finding } from '../../books/audit/finding.ts';
import { messageOf, usageError } from '../../core/errors.ts';
import { showText } from '../../core/text.ts';
import type { Accounts } from '../accounts.ts';
import type { Audited } from './audit.ts';

/** Accepted findings by id, with the reason. */
export type Ignored = ReadonlyMap<string, string>;

/**
 * Reads a file of accepted findings, with an id and a reason on each line. `#` starts a comment.
 *
 * @throws usage error for a file that cannot be read, an id of an unknown check, or a missing reason
 */
export async function readIgnored(path: string | undefined): Promise<Ignored> {
  if (path === undefined) return new Map();
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    throw usageError(`Cannot read ${showText(path)}: ${messageOf(error)}`, undefined, 'NO_IGNORE_FILE');
  }
  const ignored = new Map<string, string>();
  for (const [index, line] of content.split(/\r?\n/).entries()) {
    const text = line.replace(/(^|\s)#.*/, '').trim();
    if (text === '') continue;
    const [id = '', ...reason] = text.split(/\s+/);
    const where = `${showText(path)}, line ${index + 1}`;
    if (!CHECKS.some((check) => id.startsWith(`${check}-`))) {
      throw usageError(
        `${where}: ${showText(id)} is not the id of a finding`,
        'Copy ids from the output of cryptodata audit.',
        'BAD_IGNORE_FILE',
      );
    }
    if (reason.length === 0) {
      throw usageError(
        `${where}: ${id} has no reason`,
        'Add the reason after the id, on the same line.',
        'BAD_IGNORE_FILE',
      );
    }
    ignored.set(id, reason.join(' '));
  }
  return ignored;
}

/** A finding with the name of its wallet. */
export type ShownFinding = Finding & { readonly wallet: string | null };

/** The findings of an audit as they are shown. */
export interface ShownFindings {
  readonly open: readonly ShownFinding[];
  readonly accepted: readonly (ShownFinding & { readonly reason: string })[];
  /** Findings on spam assets or below --dust. */
  readonly setAside: readonly ShownFinding[];
  /** Accepted ids that match no finding, apart from findings that were set aside. */
  readonly gone: readonly string[];
}

export function shownFindings(
  { findings, setAside }: Pick<Audited, 'findings' | 'setAside'>,
  ignored: Ignored,
  accounts: Accounts,
): ShownFindings {
  const named = (finding: Finding) => ({ ...finding, wallet: accounts.nameOf(finding.walletId) ?? null });
  const ids = new Set(findings.map(({ id }) => id));
  return {
    open: findings.filter(({ id }) => !ignored.has(id)).map(named),
    accepted: findings
      .filter(({ id }) => ignored.has(id))
      .map((finding) => ({ ...named(finding), reason: ignored.get(finding.id) ?? '' })),
    setAside: setAside.map(named),
    gone: [...ignored.keys()].filter((id) => !ids.has(id)),
  };
}
