// Moments at which software goes wrong: clocks set forward and back in Europe and in America, the leap day, and the
// last and first instant of a year in three time zones. When the books' time passes one, a transaction falls on it.

const HOUR = 3_600_000;

/** The nth Sunday of a month (1-based; 0 is the last), at an hour of UTC. */
function sunday(year: number, month: number, nth: number, hour: number): number {
  if (nth === 0) {
    const last = new Date(Date.UTC(year, month + 1, 0));
    return Date.UTC(year, month, last.getUTCDate() - last.getUTCDay(), hour);
  }
  const first = new Date(Date.UTC(year, month, 1)).getUTCDay();
  return Date.UTC(year, month, 1 + ((7 - first) % 7) + (nth - 1) * 7, hour);
}

function ofYear(year: number): number[] {
  const newYear = Date.UTC(year, 0, 1);
  const moments = [
    newYear,
    newYear - HOUR,
    newYear - HOUR - 1,
    newYear + 5 * HOUR,
    sunday(year, 2, 0, 1) - 1,
    sunday(year, 2, 0, 1),
    sunday(year, 9, 0, 0) + HOUR / 2,
    sunday(year, 9, 0, 1) + HOUR / 2,
    sunday(year, 2, 2, 7),
    sunday(year, 10, 1, 5) + HOUR / 2,
    sunday(year, 10, 1, 6) + HOUR / 2,
    Date.UTC(year + 1, 0, 1) - 1,
  ];
  return year % 4 === 0 ? [...moments, Date.UTC(year, 1, 29, 12)] : moments;
}

export function edgeMoments(firstYear: number, lastYear: number): number[] {
  const years = Array.from({ length: lastYear - firstYear + 1 }, (_, index) => firstYear + index);
  return years.flatMap(ofYear).sort((a, b) => a - b);
}
