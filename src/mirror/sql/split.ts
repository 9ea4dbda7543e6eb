/** Matches a quoted string, a quoted name, a comment, a dollar-quoted string, or a semicolon. */
const PARTS =
  /'(?:[^']|'')*('|$)|"(?:[^"]|"")*("|$)|--[^\n]*|\/\*[\s\S]*?(\*\/|$)|(\$\w*\$)[\s\S]*?(\4|$)|;/g;

export interface Split {
  /** Complete statements, without their semicolons. */
  readonly statements: readonly string[];
  /** The text after the last semicolon. */
  readonly rest: string;
}

/** Splits a string at semicolons outside quotes and comments. */
export function splitStatements(text: string): Split {
  const statements: string[] = [];
  let start = 0;
  for (const { 0: part, index } of text.matchAll(PARTS)) {
    if (part !== ';') continue;
    const statement = text.slice(start, index).trim();
    if (statement !== '') statements.push(statement);
    start = index + 1;
  }
  return { statements, rest: text.slice(start) };
}

/** Whether a string contains only whitespace, comments and semicolons. */
export function isEmptyQuery(text: string): boolean {
  return text.replaceAll(PARTS, (part) => (/^(--|\/\*|;)/.test(part) ? ' ' : part)).trim() === '';
}
