import { isRecord, type JsonRecord } from '../core/json.ts';

export type Health = 'operational' | 'degraded: full outage' | 'degraded: partial outage' | 'unknown';

/**
 * The health of one connector function ("Connector function" in the specification). A function is degraded if it is enabled but
 * not operational. A degraded base function causes a full outage. Any other degraded function causes a partial outage. A
 * disabled function that is not operational has an unknown health, because it may never have been probed.
 */
export function functionHealth({ enabled, operational, is_base }: JsonRecord): Health {
  if (operational === true) return 'operational';
  if (operational !== false || enabled !== true) return 'unknown';
  return is_base === true ? 'degraded: full outage' : 'degraded: partial outage';
}

export function outage({ functions }: JsonRecord): 'none' | 'partial outage' | 'full outage' | 'unknown' {
  if (!Array.isArray(functions)) return 'unknown';
  const states = new Set(functions.filter(isRecord).map(functionHealth));
  if (states.has('degraded: full outage')) return 'full outage';
  if (states.has('degraded: partial outage')) return 'partial outage';
  return states.has('operational') ? 'none' : 'unknown';
}
