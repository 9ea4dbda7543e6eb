// Saves the state of the sandbox in a snapshot, and restores the state from a snapshot.

import type { SandboxTime } from '../core/clock.ts';
import type { EventSender } from '../events/index.ts';
import type { Faults } from '../faults/plan.ts';
import type { Player } from '../faults/scenario.ts';
import type { IdentityServer } from '../identity/index.ts';
import type { Keyring } from '../nouns/api-keys/store.ts';
import type { SandboxSettings } from '../options.ts';
import type { Workspaces } from '../workspaces.ts';
import { readSnapshotDocument, type SandboxSnapshot, SNAPSHOT_FORMAT, SNAPSHOT_VERSION } from './document.ts';
import { saveSettings, withSaved } from './settings.ts';

/** The services of all workspaces, and the settings that determine their data. */
export interface World {
  readonly settings: SandboxSettings;
  readonly workspaces: Workspaces;
}

export interface StateParts {
  readonly clock: SandboxTime;
  readonly identity: Pick<IdentityServer, 'save' | 'restore'>;
  readonly keys: Keyring;
  readonly faults: Faults;
  readonly player: Player;
  readonly events: EventSender;
  readonly world: () => World;
  readonly setWorld: (world: World) => void;
  readonly createWorld: (settings: SandboxSettings) => Promise<World>;
}

export type State = ReturnType<typeof createState>;

export function createState(parts: StateParts) {
  const { clock, identity, keys, faults, player, events, world } = parts;

  /** Runs all due tasks, so that no task is lost when the state is saved or replaced. */
  async function settle(): Promise<void> {
    clock.tick();
    await player.settled();
  }

  async function save(): Promise<SandboxSnapshot> {
    await settle();
    return capture();
  }

  function capture(): SandboxSnapshot {
    return {
      format: SNAPSHOT_FORMAT,
      version: SNAPSHOT_VERSION,
      clock: { time: clock.now(), moved: clock.moved() },
      settings: saveSettings(world().settings),
      workspaces: world().workspaces.save(),
      identity: identity.save(),
      apiKeys: keys.save(),
      faults: faults.save(),
      scenario: player.save(),
      events: events.save(),
    };
  }

  function apply(snapshot: SandboxSnapshot, { workspaces }: World): void {
    clock.reset(snapshot.clock.moved);
    workspaces.restore(snapshot.workspaces);
    identity.restore(snapshot.identity);
    keys.restore(snapshot.apiKeys);
    faults.restore(snapshot.faults);
    player.restore(snapshot.scenario);
    events.restore(snapshot.events);
  }

  /** @throws RangeError if `given` is not a valid snapshot of this version; the state does not change */
  async function load(given: unknown): Promise<void> {
    const snapshot = readSnapshotDocument(given);
    const { settings } = world();
    const isSame = JSON.stringify(saveSettings(settings)) === JSON.stringify(snapshot.settings);
    const next = isSame ? world() : await parts.createWorld(withSaved(settings, snapshot.settings));
    await next.workspaces.prepare(Object.keys(snapshot.workspaces));
    await settle();
    // The code below is synchronous, so no request sees a state that is only partly replaced.
    const before = capture();
    try {
      apply(snapshot, next);
    } catch (error) {
      apply(before, world());
      throw error;
    }
    parts.setWorld(next);
  }

  return { save, load };
}
