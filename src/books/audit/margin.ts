const HOUR = 3_600_000;
/** Maximum time from an outgoing leg to the matching incoming leg. Some chains are slow, and some exchanges confirm by hand. */
export const LATEST = 15 * HOUR;
/** An incoming leg may precede the matching outgoing leg by at most this time, because clocks differ. */
export const EARLIEST = 1 * HOUR;
/** Legs are read this long before and after a period, so that what crosses its edges is seen whole. */
export const MARGIN = LATEST + EARLIEST;
