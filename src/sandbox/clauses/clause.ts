export const CLAUSE_KINDS = [
  'endpoint',
  'parameter',
  'default',
  'bound',
  'field',
  'claim',
  'scope',
  'header',
  'workspace',
  'error',
  'state',
  'transition',
  'event',
  'lifetime',
  'rate limit',
  'envelope',
  'rename',
  'removal',
  'partial success',
  'rule',
  'not shown',
  'silent',
] as const;
export type ClauseKind = (typeof CLAUSE_KINDS)[number];

/** One statement of the specification. Test titles refer to a statement by its id. */
export interface Clause {
  readonly id: string;
  readonly kind: ClauseKind;
  /** The heading of the section that contains the statement. */
  readonly place: string;
  /** The statement, in the words of the specification. */
  readonly says: string;
  /** For a detail that the specification leaves open: what the sandbox does, or which setting applies. */
  readonly silent?: string;
}

const CLAUSE = /^ {2}([^:\s]+(?:, [^:\s]+)*)(?: \[(.+?)\])?: (.*)$/;

/**
 * Reads clauses from a text. A line without indentation starts a section: `place | prefix of the ids | kind`. Each other line is
 * one clause: `name: statement`, or `name [kind]: statement` if its kind differs from that of the section. Clauses with the same
 * statement share a line, as in the tables of the specification: `name, name: statement`.
 */
export function sections(text: string): Clause[] {
  let [place, prefix, usual] = ['', '', ''];
  return linesOf(text).flatMap((line) => {
    const [, names, kind = usual, says = ''] = CLAUSE.exec(line) ?? [];
    if (names !== undefined) {
      return names
        .split(', ')
        .map((name) => ({ id: `${prefix}.${name}`, kind: kindNamed(kind), place, says }));
    }
    [place = '', prefix = '', usual = ''] = line.split(' | ');
    return [];
  });
}

/**
 * Reads details that the specification leaves open. A line without indentation is a place. A clause has two lines: `name: detail`,
 * then `→ what the sandbox does`.
 */
export function choices(kind: ClauseKind, prefix: string, text: string): Clause[] {
  let place = '';
  const lines = linesOf(text);
  return lines.flatMap((line, at) => {
    const [, name, says = ''] = /^ {2}(\S+): (.*)$/.exec(line) ?? [];
    if (!line.startsWith(' ')) place = line;
    const silent = (lines[at + 1] ?? '').replace(/^\s+→ /, '');
    return name === undefined ? [] : [{ id: `${prefix}.${name}`, kind, place, says, silent }];
  });
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function kindNamed(name: string): ClauseKind {
  const kind = CLAUSE_KINDS.find((known) => known === name);
  if (kind === undefined) throw new Error(`Unknown kind of clause: ${name}`);
  return kind;
}
