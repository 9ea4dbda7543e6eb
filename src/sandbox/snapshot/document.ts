// A snapshot is the state of the sandbox as one JSON document.

import { type Saved, shape } from '../core/readers.ts';
import { readSavedEvents } from '../events/index.ts';
import { readSavedFaults } from '../faults/plan.ts';
import { readSavedScenario } from '../faults/scenario.ts';
import { readSavedIdentity } from '../identity/index.ts';
import { readSavedKeys } from '../nouns/api-keys/store.ts';
import { readSavedService } from '../service.ts';
import { readSavedSettings } from './settings.ts';

export const SNAPSHOT_FORMAT = 'cryptodata-sandbox-snapshot';
/** Format version. Increment `VERSION` if a change prevents older sandboxes from reading new snapshots. */
export const SNAPSHOT_VERSION = 1;

const { mapOf, number, object, oneOf, record } = shape;

const readDocument = object({
  format: oneOf(SNAPSHOT_FORMAT),
  version: oneOf(SNAPSHOT_VERSION),
  /**
   * `time` is in Unix milliseconds. `moved` is the number of milliseconds by which the clock was moved. When a snapshot
   * is loaded, only `moved` is restored, not `time`.
   */
  clock: object({ time: number, moved: number }),
  settings: readSavedSettings,
  workspaces: mapOf(readSavedService),
  identity: readSavedIdentity,
  apiKeys: readSavedKeys,
  faults: readSavedFaults,
  scenario: readSavedScenario,
  events: readSavedEvents,
});

/**
 * The state of a sandbox, as returned by `sandbox.snapshot()` and GET /_sandbox/snapshot. A snapshot is plain JSON: write it
 * with JSON.stringify, and read it with JSON.parse.
 */
export type SandboxSnapshot = Saved<typeof readDocument>;

/** @throws RangeError if `given` is not a valid snapshot of this version */
export function readSnapshotDocument(given: unknown): SandboxSnapshot {
  const { format, version } = record(given, '');
  if (format !== SNAPSHOT_FORMAT)
    throw new RangeError(`Not a snapshot: format must be ${JSON.stringify(SNAPSHOT_FORMAT)}`);
  if (version !== SNAPSHOT_VERSION) {
    throw new RangeError(
      `Unsupported snapshot version: ${JSON.stringify(version)}. This sandbox reads version ${SNAPSHOT_VERSION}`,
    );
  }
  try {
    return readDocument(given, '');
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new RangeError(`Broken snapshot: ${cause.message}`, { cause });
  }
}

/** @throws RangeError if `text` is not a valid snapshot of this version */
export function parseSnapshot(text: string): SandboxSnapshot {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw new RangeError('Not a snapshot: the document is not valid JSON', { cause });
  }
  return readSnapshotDocument(given);
}
