import { HOUR } from '../../core/instant.ts';
/** Maximum time from an outgoing leg to the matching incoming leg. Some chains are slow, and some exchanges confirm by hand. */
export const LATEST = 15 * HOUR;
/** Maximum time from an incoming leg to the matching outgoing leg. If clocks differ, the incoming leg can be earlier. */
export const EARLIEST = 1 * HOUR;
/** Maximum time between a leg and any possible partner, or between a leg and another leg of its transaction. */
export const MARGIN = LATEST + EARLIEST;
/**
 * Legs are read for this long after a period. The data then includes each possible partner of a leg in the period, and all
 * possible partners of that partner.
 */
export const READ_MARGIN = 2 * MARGIN;
