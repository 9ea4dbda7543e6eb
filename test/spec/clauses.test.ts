import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLAUSE_KINDS } from '../../src/commands/sandbox/coverage.ts';
import { ROOT } from '../e2e/harness.ts';
import { CLAUSES, type Clause } from './clauses/index.ts';

// The title of a sandbox test begins with the ids of the clauses that the test checks, for example '[ledgers.limit] …'. This
// file generates docs/sandbox-coverage.md from these titles. It also generates src/sandbox/clauses.json, which the command
// `sandbox coverage` reads. To update both files, run `UPDATE_REFERENCE=1 npx vitest run test/spec/clauses.test.ts`.

const TESTS = join(ROOT, 'test', 'sandbox');
const TABLE = join(ROOT, 'src', 'sandbox', 'clauses.json');
const DOCUMENT = join(ROOT, 'docs', 'sandbox-coverage.md');
const SPECIFICATION = join(ROOT, 'test', 'spec', 'service-interface.md');

const ID = String.raw`[a-z][\w-]*(?:\.[\w-]+)+`;
const TITLE = new RegExp(String.raw`['"\x60]\[(${ID}(?:, ${ID})*)\]`, 'g');

const files = readdirSync(TESTS).filter((name) => name.endsWith('.test.ts'));
const sources = files.map((name) => ({ name, text: readFileSync(join(TESTS, name), 'utf8') }));
const ids = CLAUSES.map(({ id }) => id);

/** Maps each clause id to the names of the test files that contain the id in a title. */
function carried(): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { name, text } of sources) {
    const inFile = [...text.matchAll(TITLE)].flatMap(([, list = '']) => list.split(', '));
    for (const id of new Set(inFile)) found[id] = [...(found[id] ?? []), basename(name, '.test.ts')];
  }
  return found;
}

const now = carried();

function hold(file: string, expected: string): void {
  const current = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // Do not write an unchanged file, because a newer file in src/ would make the build look outdated.
  if (process.env['UPDATE_REFERENCE'] && current !== expected) writeFileSync(file, expected);
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(expected);
}

describe('the clauses', () => {
  test('each clause has a unique id and a kind', () => {
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, kind, says } of CLAUSES) {
      expect(id).toMatch(new RegExp(`^${ID}$`));
      expect(CLAUSE_KINDS).toContain(kind);
      expect(says).not.toBe('');
    }
  });

  test('each clause id occurs in a test title', () => {
    expect(ids.filter((id) => now[id] === undefined)).toEqual([]);
  });

  test('no test title contains an unknown clause id', () => {
    const unknown = Object.entries(now).filter(([id]) => !ids.includes(id));
    expect(unknown).toEqual([]);
  });

  test('no sandbox test is skipped', () => {
    const left = sources.filter(({ text }) => /\b(it|test|describe)\.(skip|only|todo|fails)\b/.test(text));
    expect(left.map(({ name }) => name)).toEqual([]);
  });

  test('src/sandbox/clauses.json is up to date', () => {
    const tests = ({ id }: Clause) => (now[id] ?? []).map((name) => `test/sandbox/${name}.test.ts`);
    const lines = CLAUSES.map((clause) =>
      JSON.stringify({ ...clause, silent: clause.silent ?? null, tests: tests(clause) }),
    );
    hold(TABLE, `[\n${lines.join(',\n')}\n]\n`);
  });

  test('clauses about open details name only options, flags and control endpoints that exist', () => {
    const silent = CLAUSES.map((clause) => clause.silent ?? '').join('\n');
    const sources = (folder: string) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'))
        .join('\n');
    const [commands, sandbox] = [sources('src/commands/sandbox'), sources('src/sandbox')];
    const options = readFileSync(join(ROOT, 'src', 'sandbox', 'options.ts'), 'utf8');
    const named = (pattern: RegExp) => [...silent.matchAll(pattern)].map(([, name = '']) => name);
    const missing = [
      ...named(/(--[a-z-]+)/g).filter((flag) => !commands.includes(`'${flag} <`)),
      ...named(/\/_sandbox\/([a-z]+)/g).filter(
        (path) => ![`}${path}`, `'/_sandbox/${path}`].some((route) => sandbox.includes(route)),
      ),
      ...named(/options? ([a-z]\w+)/gi).filter((option) => !options.includes(`readonly ${option}?:`)),
    ];
    expect(missing).toEqual([]);
    expect(silent).toContain('option legShape');
  });

  test('docs/sandbox-coverage.md is up to date', () => hold(DOCUMENT, document()));
});

function document(): string {
  const row = (...cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |\n`;
  const head = (...cells: readonly string[]) => row(...cells) + row(...cells.map(() => '---'));
  const testCell = ({ id }: Clause) => (now[id] ?? []).join(', ');
  const shown = CLAUSES.filter(({ silent }) => silent === undefined);
  const open = CLAUSES.filter(({ silent }) => silent !== undefined);
  const places = [...new Set(shown.map(({ place }) => place))];
  const tables = places.map((place) => {
    const rows = shown.filter((clause) => clause.place === place);
    const body = rows.map((clause) => row(`\`${clause.id}\``, clause.kind, clause.says, testCell(clause)));
    return `## ${place}\n\n${head('clause', 'kind', 'says', 'tests')}${body.join('')}`;
  });
  const left = open.map((clause) =>
    row(`\`${clause.id}\``, clause.says, clause.silent ?? '', testCell(clause)),
  );
  return `# The specification, clause by clause, and the tests that check the sandbox against it

Generated by \`test/spec/clauses.test.ts\` from test/spec/clauses and the titles of the tests in test/sandbox.
\`cryptodata sandbox coverage\` prints the same table. There are ${CLAUSES.length} clauses. ${open.length} of them are about details that the
specification leaves open.

${tables.join('\n')}
## What is not shown

${head('clause', 'says', 'the sandbox', 'tests')}${left.join('')}`;
}

describe('the clauses match the specification', () => {
  const spec = readFileSync(SPECIFICATION, 'utf8');
  const sections = spec.split(/^#+ /m).map((text) => {
    const [heading = '', ...lines] = text.split('\n');
    return { heading, lines, text: lines.join('\n') };
  });
  const after = sections.slice(sections.findIndex(({ heading }) => heading === 'What the service does'));
  const at = (heading: string) => CLAUSES.filter(({ place }) => place === heading);
  const words = ({ id, says }: Clause) => `${id} ${says}`;

  /** The rows of the tables in a section, without the header rows. */
  const rowsOf = ({ lines }: { lines: readonly string[] }) =>
    lines
      .filter(
        (line, index) =>
          line.startsWith('|') && !line.startsWith('|--') && !lines[index + 1]?.startsWith('|--'),
      )
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );

  test('every clause refers to a heading, and every heading with text has clauses', () => {
    const headings = sections.map(({ heading }) => heading);
    expect(CLAUSES.filter(({ place }) => !headings.includes(place))).toEqual([]);
    const silent = after.filter(({ heading, text }) => text.trim() !== '' && at(heading).length === 0);
    expect(silent.map(({ heading }) => heading)).toEqual([]);
  });

  test('every table row has a clause in its section', () => {
    const missing = after.flatMap((part) =>
      rowsOf(part).flatMap(([first = '', second = '']) => {
        const names = /^(GET|POST|\(several\))$/.test(first) ? second.split(', ') : first.split(', ');
        return names
          .filter((name) => !at(part.heading).some((clause) => isAbout(clause, name)))
          .map((name) => `${part.heading}: ${name}`);
      }),
    );
    expect(missing).toEqual([]);
    expect(after.flatMap(rowsOf).length).toBeGreaterThan(250);
  });

  /** True if the id of the clause ends with the name, or the text of the clause contains the name. */
  function isAbout(clause: Clause, name: string): boolean {
    if (clause.silent !== undefined) return false;
    return clause.id.endsWith(`.${name}`) || clause.says.includes(name);
  }

  test('every path has a clause in its section', () => {
    const PATH = /\/(?:oidc|v1|v0|api\/v[01]|integrations)\/[a-z_.\-/{}A-Z]+/g;
    const named = after.flatMap(({ heading, text }) =>
      (text.match(PATH) ?? []).map((path) => ({ heading, path: path.replace(/[.,;:]+$/, '') })),
    );
    const missing = named.filter(
      ({ heading, path }) => !at(heading).some((clause) => words(clause).includes(path)),
    );
    expect(missing).toEqual([]);
    expect(new Set(named.map(({ path }) => path)).size).toBeGreaterThan(40);
  });

  test('every parameter, scope and code in running text has a clause', () => {
    const section = (heading: string) =>
      sections.find((part) => part.heading.startsWith(heading))?.text ?? '';
    const filters =
      /filters named: ([^;]*);/.exec(section('Other current endpoints'))?.[1]?.split(', ') ?? [];
    const legs = /list filters: ([^.]*)\./.exec(section('Ledgers ('))?.[1] ?? '';
    const lists = legs.replace(/ \([^)]*\)/g, '').split(', ');
    const flow = /all required: (.*?)\. Result/.exec(section('Authorization server'))?.[1] ?? '';
    const flowNames = flow.replace(/ \([^)]*\)/g, '').split(', ');
    const oidc = [...section('OIDC error codes').matchAll(/(?:^|, )([a-z_]+) \(/gm)].map(
      ([, code = '']) => code,
    );
    expect([filters.length, lists.length, flowNames.length]).toEqual([9, 4, 7]);
    expect(oidc.length).toBeGreaterThan(4);
    const has = (prefix: string, names: readonly string[]) =>
      names.filter((name) => !ids.includes(`${prefix}.${name}`));
    expect(has('transactions', filters)).toEqual([]);
    expect(has('ledgers', lists)).toEqual([]);
    expect(has('oidc.auth', flowNames)).toEqual([]);
    expect(has('oidc-error', oidc)).toEqual([]);
  });

  test('every "not shown" sentence has a clause with the same words', () => {
    const open = after.flatMap(({ heading, lines }) =>
      lines
        .flatMap((line) => line.replace(/^- /, '').split(/(?<=\.) (?=[A-Z])/))
        .filter((sentence) => sentence.includes('not shown'))
        .map((sentence) => `${heading}: ${sentence.trim()}`),
    );
    const listed = CLAUSES.filter(({ kind }) => kind === 'not shown').map(
      ({ place, says }) => `${place}: ${says}`,
    );
    expect(open.filter((sentence) => !listed.includes(sentence))).toEqual([]);
    expect(listed.filter((sentence) => !open.includes(sentence))).toEqual([]);
  });

  test('every "not shown" or "silent" clause states what the sandbox does, and other clauses do not', () => {
    const wrong = CLAUSES.filter(
      ({ kind, silent = '' }) => (silent !== '') !== ['not shown', 'silent'].includes(kind),
    );
    expect(wrong).toEqual([]);
  });
});
