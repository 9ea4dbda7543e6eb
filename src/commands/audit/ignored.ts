import { readFile } from 'node:fs/promises';
import { CHECKS, type Finding } from '../../books/audit/finding.ts';
import { messageOf, usageError } from '../../core/errors.ts';
import { showText } from '../../core/text.ts';
import type { Accounts } from '../accounts.ts';
import type { Audited } from './audit.ts';

/** Maps the id of an accepted finding to the reason for accepting it. */
export type Ignored = ReadonlyMap<string, string>;

/**
 * Reads a file of accepted findings. Each line contains an id and a reason. `#` starts a comment.
 *
 * @throws usage error if the file cannot be read, an id belongs to no known check, or a reason is missing
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
        'Copy the id from the output of "cryptodata audit".',
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

export interface ShownFindings {
  readonly open: readonly ShownFinding[];
  readonly accepted: readonly (ShownFinding & { readonly reason: string })[];
  /** Findings about spam assets, and findings below --dust. */
  readonly setAside: readonly ShownFinding[];
  /** Accepted ids that match no finding in this audit. Findings that were set aside are not compared. */
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
