import { DISCOVERY } from '../../auth/server.ts';
import type { SettingKey } from '../../config/definitions.ts';
import type { Context } from '../../context.ts';
import { httpDateOf } from '../../core/instant.ts';
import { networkError } from '../../core/network.ts';
import { attempt, type DoctorCheck, found } from './report.ts';

/** Test requests that need no login: even a 401 response shows that the address is reachable. */
const PROBES: readonly (readonly [SettingKey, string])[] = [
  ['auth_url', DISCOVERY],
  ['auth_url', '/oidc/jwks'],
  ['base_url', '/v1/providers?limit=1'],
  ['legacy_base_url', '/'],
  ['legacy_public_url', '/integrations/public/list'],
];

export interface Reached {
  readonly check: DoctorCheck;
  /** Clock of the service in Unix milliseconds, from the `Date` header of the response. */
  readonly serverTime: number | undefined;
}

/** @param foreign whether the stored login belongs to another address; if so, sends nothing */
export function reach(context: Context, foreign: boolean): Promise<Reached[]> {
  return Promise.all(PROBES.map(([key, path]) => probe(context, foreign, key, path)));
}

async function probe(context: Context, foreign: boolean, key: SettingKey, path: string): Promise<Reached> {
  const name = `reach ${key}${path.split('?')[0]}`;
  let serverTime: number | undefined;
  const check = await attempt(name, async () => {
    const address = (await context.settings()).get(key);
    if (address === undefined) return found(name, 'skipped', 'not set');
    if (foreign) return found(name, 'skipped', 'the stored login belongs to another address');
    const { origin, pathname } = new URL(address);
    const started = context.now();
    const dispatcher = await context.dispatcher();
    const target = `${pathname.replace(/\/$/, '')}${path}`;
    try {
      const answer = await dispatcher.request({
        origin,
        path: target,
        method: 'GET',
        signal: context.signal,
      });
      await answer.body.dump();
      serverTime = httpDateOf([answer.headers['date'] ?? ''].flat()[0] ?? '');
      const state = answer.statusCode >= 500 ? 'problem' : 'ok';
      return found(name, state, `HTTP ${answer.statusCode} in ${context.now() - started} ms`);
    } catch (error) {
      throw networkError(error, origin);
    }
  });
  return { check, serverTime };
}

/** Compares the clocks. If this machine's clock is wrong, tokens seem to expire too early or too late. */
export function checkClock(answers: readonly Reached[], now: number): DoctorCheck {
  const [theirs] = answers.flatMap(({ serverTime }) => serverTime ?? []);
  if (theirs === undefined) return found('clock', 'skipped', 'no response had a Date header');
  const seconds = Math.round((now - theirs) / 1000);
  if (Math.abs(seconds) <= 60)
    return found('clock', 'ok', `within ${Math.max(1, Math.abs(seconds))} s of the clock of the service`);
  const word = seconds > 0 ? 'ahead of' : 'behind';
  return found(
    'clock',
    'problem',
    `${Math.abs(seconds)} s ${word} the clock of the service`,
    "Set this machine's clock.",
  );
}
