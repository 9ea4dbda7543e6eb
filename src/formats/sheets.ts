/** Says that the rows of a workbook are in several sheets. */
export function sheetsText(names: readonly string[]): string {
  return `The rows are in ${names.length} sheets, because one sheet cannot contain all of them: ${names.join(', ')}.`;
}
