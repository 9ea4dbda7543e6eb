/**
 * Returns a sentence that lists the sheets of a workbook whose rows are in several sheets.
 *
 * @param file the name of the workbook, if it is one of several files
 */
export function sheetsText(names: readonly string[], file?: string): string {
  const rows = file === undefined ? 'The rows' : `The rows of ${file}`;
  return `${rows} are in ${names.length} sheets, because one sheet cannot contain all of them: ${names.join(', ')}.`;
}
