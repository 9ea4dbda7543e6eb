// Applies faults to a request, before and after the service handles it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { readForm } from '../identity/request.ts';
import { faultKind } from './kinds.ts';
import { type Faults, type Met, spoils } from './plan.ts';
import { hold, resetConnection, sendResponse, waitFor } from './send.ts';

interface Passing {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly path: string;
  /** The faults that were applied, in the short form. */
  readonly faults: string[];
}

export type Meet = (passing: Passing, route: () => void) => void;

/** @param endToken invalidates an access token, or every token of the same grant; ignores tokens of other issuers */
export function createMeet(
  faults: Faults,
  endToken: (jwt: string, end: 'token' | 'grant') => Promise<void>,
): Meet {
  async function undergo({ req, res, path }: Passing, met: readonly Met[], route: () => void) {
    const jwt = bearerOf(req) ?? '';
    for (const { kind, fault, salt } of met) {
      await faultKind(kind).before?.({ req, salt, endToken: (end) => endToken(jwt, end) }, fault);
    }
    const delays = met.flatMap(({ kind, fault }) => faultKind(kind).delays?.(fault) ?? []);
    const spoiling = met.find(({ kind }) => spoils(kind));
    if (spoiling === undefined && delays.length === 0) return route();
    const { answer, unseen, cut } = spoiling === undefined ? {} : faultKind(spoiling.kind);
    const fault = spoiling?.fault ?? {};
    const whole = answer?.(fault, path) ?? (unseen?.(fault) ? undefined : await hold(res, route));
    await waitFor(res, Math.max(0, ...delays.map(({ before }) => before)));
    const part = whole && cut?.(fault, whole.body.length);
    if (whole === undefined || (cut !== undefined && part === undefined)) return resetConnection(res);
    await sendResponse(res, whole, {
      cut: part,
      drip: Math.max(0, ...delays.map(({ drip }) => drip)),
      chunk: Math.min(...delays.map(({ chunk }) => chunk)),
    });
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
    // Requests are numbered in order of arrival. Wait for the body only if a fault depends on its `grant_type`.
    if (faults.needsGrant) grantOf(passing).then(ask).catch(fail);
    else ask(undefined);
  };
}

function bearerOf({ headers }: IncomingMessage): string | undefined {
  const [scheme = '', token] = (headers.authorization ?? '').split(' ');
  return scheme.toLowerCase() === 'bearer' ? token : undefined;
}
