// Spec: Rate limits (OIDC endpoints; per client id). The data API's are not shown, so it has none.

const MINUTE = 60_000;
const HOUR = 3_600_000;

export type EndpointType = 'token' | 'userinfo' | 'other';

const LIMITS: Readonly<Record<EndpointType, { requests: number; window: number }>> = {
  token: { requests: 100, window: MINUTE },
  userinfo: { requests: 1000, window: HOUR },
  other: { requests: 200, window: HOUR },
};

export interface RateLimiter {
  /** Counts one request. Returns the seconds to wait when it is over the limit, 0 when it may pass. */
  take(type: EndpointType, clientId: string): number;
  reset(): void;
}

/** A window starts with its first request; whether the service's windows slide is not shown. */
export function createRateLimiter(clock: () => number): RateLimiter {
  const windows = new Map<string, { start: number; count: number }>();
  return {
    take(type, clientId) {
      const { requests, window } = LIMITS[type];
      const key = `${type} ${clientId}`;
      const now = clock();
      const current = windows.get(key);
      const open = current !== undefined && now - current.start < window ? current : { start: now, count: 0 };
      windows.set(key, open);
      if (open.count >= requests) return Math.max(1, Math.ceil((open.start + window - now) / 1000));
      open.count += 1;
      return 0;
    },
    reset: () => windows.clear(),
  };
}
