const HOUR = 3_600_000;
/** Maximum time from an outgoing leg to the matching incoming leg. Some chains are slow, and some exchanges confirm by hand. */
export const LATEST = 15 * HOUR;
/** An incoming leg may precede the matching outgoing leg by at most this time, because clocks differ. */
export const EARLIEST = 1 * HOUR;
/** The legs of a transaction, and the possible partners of a leg, lie within this time. */
export const MARGIN = LATEST + EARLIEST;
/** Legs are read this long after a period, so that the partner of a leg, and the possible partners of the partner, are seen. */
export const READ_MARGIN = 2 * MARGIN;
