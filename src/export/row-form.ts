import { holdsAllFields, type Layout } from '../formats/format.ts';
import type { RowForm } from '../read/rows.ts';
import { lineForm } from './assembly.ts';
import { fieldsWithout } from './left-out.ts';
import { PageScanner } from './scan/page-scanner.ts';

/**
 * How rows of answers become rows of segments for a file of this layout: out of the bytes of the page wherever nothing
 * needs them as records.
 */
export function rowFormOf(layout: Layout): RowForm {
  const { encode, writer } = lineForm(layout);
  const counted = !holdsAllFields(layout) && layout.sums === undefined;
  const fieldsLeftOut = counted ? fieldsWithout(layout.known) : undefined;
  if (!writer) return { encode, fieldsLeftOut };
  const shown = [...(counted ? layout.known : []), ...layout.columns].map(({ key }) => key);
  const scanner = new PageScanner({ writer, shown, encode, fieldsLeftOut });
  return { encode, fieldsLeftOut, read: (page) => scanner.read(page) };
}
