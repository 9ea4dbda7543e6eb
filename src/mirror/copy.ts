import { timeOf } from '../api/ledgers.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import type { LedgerCopy } from '../export/ledger-export.ts';
import type { Segment } from '../export/resume-log.ts';
import { SegmentWriter } from '../export/segment.ts';
import { rowOf } from '../read/rows.ts';
import type { LegClaims } from './claims.ts';
import { windowSpan } from './manifest.ts';
import type { Mirror } from './open.ts';

/** Number of rows to buffer before a write, equal to the page size of the service. */
const ROWS = 200;

export function copyOf(mirror: Mirror, span: OpenSpan, claims: LegClaims): LedgerCopy['copy'] {
  return async ({ directory, encoder, signal }) => {
    const writer = new SegmentWriter(directory);
    const segments: Segment[] = [];
    for (const window of mirror.windows(span)) {
      await writer.begin(String(segments.length + 1));
      for await (const leg of mirror.legsOf(window)) {
        if (!isWithin(timeOf(leg), span)) continue;
        writer.add(rowOf(leg, encoder));
        if (writer.rows % ROWS !== 0) continue;
        await writer.settle();
        signal.throwIfAborted();
      }
      const { rows } = writer;
      segments.push({
        ...{ span: windowSpan(window), rows, total: window.total ?? undefined },
        ...{ beyond: [], reads: 1, ...(await writer.finish()) },
      });
    }
    return { segments, unchecked: [], ...evidenceOf(mirror, claims), source: SOURCE };
  };
}

const SOURCE = 'a mirror; the manifest records when its legs were read and counted';

const GUARANTEE = {
  holds:
    "According to the service's totals, each leg that matched the request is in the file exactly once. This does not apply to legs that were added or deleted after mirror.idsVerifiedAt, or edited after mirror.contentsVerifiedAt.",
  open: 'Additions and deletions after mirror.idsVerifiedAt may be missing, but at mirror.countsVerifiedAt the number of legs was correct. Edits after mirror.contentsVerifiedAt may be missing.',
};

function evidenceOf({ directory }: Mirror, claims: LegClaims) {
  const { claim, ...times } = claims;
  return {
    claim,
    evidence: {
      guarantee: claim.verified ? GUARANTEE : null,
      filtersNotChecked: [],
      mirror: { folder: directory, ...times },
    },
  };
}
