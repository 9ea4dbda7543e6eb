// What a request meets, at the server itself: before anything has looked at it, and after its answer is ready.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { readForm } from '../identity/request.ts';
import { hold, spoken } from './answer.ts';
import { delayBefore, deliver, reset } from './deliver.ts';
import { askForDrift } from './drift.ts';
import type { Kind } from './fault.ts';
import type { Faults, Met } from './plan.ts';
import { leaveTiesOpen } from './ties.ts';

export interface Passing {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly path: string;
  /** Takes down what was met. */
  readonly faults: string[];
}

export type Meet = (passing: Passing, route: () => void) => void;

export interface MeetingParts {
  readonly faults: Faults;
  /** Ends an access token, or all that its grant gave; what is no token of the sandbox is left alone. */
  readonly endToken: (jwt: string, end: 'token' | 'grant') => Promise<void>;
}

export function createMeet({ faults, endToken }: MeetingParts): Meet {
  async function prepare({ req }: Passing, met: readonly Met[]): Promise<void> {
    const jwt = bearerOf(req);
    askForDrift(
      req,
      met.filter(({ kind }) => kind === 'drift'),
    );
    for (const { kind } of met) {
      if (kind === 'ties') leaveTiesOpen(req);
      if (kind === 'expired' || kind === 'revoked')
        await endToken(jwt ?? '', kind === 'expired' ? 'token' : 'grant');
    }
  }

  async function undergo(passing: Passing, met: readonly Met[], route: () => void): Promise<void> {
    const { res, path } = passing;
    await prepare(passing, met);
    const slow = met.filter(({ kind }) => kind === 'slow').map(({ fault }) => fault);
    const spoiling = met.find(({ kind }) => SPOILING.includes(kind));
    if (spoiling === undefined && slow.length === 0) return route();
    const { kind, fault } = spoiling ?? {};
    const instead = fault === undefined ? undefined : spoken(fault, path);
    const unseen = kind === 'reset' && fault?.at === undefined;
    const answer = instead ?? (unseen ? undefined : await hold(res, route));
    await delayBefore(res, slow);
    if (answer === undefined || kind === 'lost' || kind === 'lost-refresh') reset(res);
    else await deliver(res, answer, fault, slow);
  }

  async function grantOf({ req, path }: Passing): Promise<string | undefined> {
    const form = req.method === 'POST' && path === '/oidc/token' ? await readForm(req) : undefined;
    return form?.get('grant_type') ?? undefined;
  }

  return (passing, route) => {
    if (faults.idle) return route();
    const { req, res, path } = passing;
    const fail = () => res.destroy();
    const ask = (grant: string | undefined) => {
      const asking = { method: req.method ?? '', path, grant, bearer: bearerOf(req) !== undefined };
      const met = faults.meet(asking);
      passing.faults.push(...met.map(({ text }) => text));
      if (met.length === 0) return route();
      undergo(passing, met, route).catch(fail);
    };
    // Whose number comes first is decided as requests come in: only those whose body must be known wait for it.
    if (faults.needsGrant) grantOf(passing).then(ask).catch(fail);
    else ask(undefined);
  };
}

const SPOILING: readonly Kind[] = ['status', 'html', 'torn', 'reset', 'lost', 'lost-refresh'];

function bearerOf({ headers }: IncomingMessage): string | undefined {
  const [scheme = '', token] = (headers.authorization ?? '').split(' ');
  return scheme.toLowerCase() === 'bearer' ? token : undefined;
}
