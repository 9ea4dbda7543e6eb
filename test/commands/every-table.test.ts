// Renders the table of every command at several terminal widths, and searches for amounts, ids, times and commands that are cut.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesOf, wordsOf } from '../../src/cli/describe.ts';
import { TREE } from '../../src/commands/tree.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { showText } from '../../src/core/text.ts';
import { type Column, type Columns, columnValue, type View } from '../../src/formats/columns.ts';
import { momentText } from '../../src/formats/moments.ts';
import { roundFigure } from '../../src/formats/round-figure.ts';
import { renderTable } from '../../src/formats/table.ts';
import { cellText } from '../../src/formats/text.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { cases } from '../runs.ts';
import { endHere, runHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 800, seed: 3 });
const directory = await mkdtemp(join(tmpdir(), 'cryptodata-tables-'));
const file = (name: string) => join(directory, name);
const [{ firstLedgerId: negative } = { firstLedgerId: '' }] = sandbox.truth.negativePairs;
afterAll(async () => {
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

const Q = ['--period', '2024-Q3'];

/** Arguments of the commands whose output is a table in the sandbox. */
const ARGUMENTS: Readonly<Record<string, () => readonly string[]>> = {
  whoami: () => [],
  'ledgers list': () => ['--limit', '200'],
  'ledgers get': () => [negative],
  'ledgers negative': () => [],
  'ledgers explain': () => [negative],
  'ledgers rollforward': () => Q,
  'ledgers disposals': () => Q,
  'ledgers verify': () => [file('old.jsonl')],
  'ledgers diff': () => [file('old.csv'), file('new.csv')],
  'audit run': () => ['--period', '2024', '--all'],
  'audit explain': () => [finding],
  'close run': () => [...Q, '--out', file('other')],
  'close verify': () => [file('pack')],
  'mirror status': () => [file('mirror')],
  'mirror changes': () => [file('mirror')],
  'balances list': () => [],
  'txns list': () => ['--limit', '200'],
  'txns ledgers': () => [transaction],
  'assets search': () => ['btc'],
  'providers list': () => ['--all'],
  'providers get': () => ['kraken'],
  'legacy providers': () => [],
  'legacy renames': () => [],
  'integrations list': () => ['--all'],
  'sync status': () => [],
  'sandbox scenario': () => [],
  'sandbox errors': () => [],
  'sandbox coverage': () => [],
  'config list': () => [],
  'profiles list': () => [],
  doctor: () => [],
};

/** Commands that print no table of records of the service, grouped by the reason. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  'changes something': [
    ...[
      'login',
      'logout',
      'mirror run',
      'mirror load',
      'mirror vacuum',
      'mirror forget',
      'txns batch',
      'legacy post',
      'integrations batch-delete',
    ],
    ...[
      'sync resync-all',
      'csv upload',
      'events replay',
      'events trigger',
      'sandbox data',
      'sandbox snapshot',
    ],
    ...['config set', 'config unset', 'profiles use', 'profiles delete', 'completion install'],
  ],
  'prints a file, a value or a stream': [
    ...[
      'token',
      'ledgers export',
      'txns export',
      'api',
      'integrations wait',
      'sync watch',
      'events listen',
      'mcp',
    ],
    ...['sandbox start', 'sandbox exec', 'config get', 'config path', 'commands', 'schema', 'mirror sql'],
    ...['bash', 'zsh', 'fish', 'powershell'].map((shell) => `completion ${shell}`),
  ],
  'needs a grant or data that the sandbox does not have': [
    ...['contacts list', 'counter-parties list', 'legacy integrations', 'legacy holdings', 'legacy userinfo'],
    ...['legacy nfts', 'legacy defi', 'integrations assets', 'sync get', 'events list', 'events verify'],
  ],
  'is one line for each file or answer': [
    'csv check',
    'integrations alias-exists',
    'integrations test-credentials',
  ],
};

const without = Object.values(WITHOUT).flat();
/** The arguments by command. A list needs none. */
const LINES: typeof ARGUMENTS = {
  ...Object.fromEntries(
    (await entriesOf(TREE))
      .flatMap((entry) => (entry.verb.list ? wordsOf(entry) : []))
      .filter((words) => !without.includes(words))
      .map((words) => [words, () => []]),
  ),
  ...ARGUMENTS,
};

/** Command lines that print sums. Their tables have different columns. */
const SUMS: typeof ARGUMENTS = {
  'ledgers list --sum-by asset,month': () => ['--all'],
  'ledgers list --sum-by walletId,type': () => ['--all'],
};

let finding = '';
let transaction = '';
let commands: string[] = [];

beforeAll(async () => {
  const { env } = sandbox;
  const json = async (...args: readonly string[]) =>
    JSON.parse((await runHere([...args, '--json'], env)).stdout);
  commands = (await json('commands')).commands.map(({ command }: { command: string }) => command);
  finding = (await json('audit', '--period', '2024', '--check', 'negative-balance')).findings[0].id;
  transaction = (await json('txns', '--limit', '1'))[0].id;
  for (const name of ['old.jsonl', 'old.csv', 'new.csv']) {
    await runHere(
      ['ledgers', 'export', ...Q, '--out', file(name), '--format', name.split('.')[1] ?? ''],
      env,
    );
  }
  await runHere(['close', ...Q, '--out', file('pack')], env);
  await runHere(['mirror', file('mirror')], env);
  const [leg] = await json('ledgers', ...Q, '--limit', '1');
  await fetch(`${sandbox.url}/_sandbox/ledgers/${leg.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ quantity: '123456.123456789012345678', recalculate: true }),
  });
});

test('every command is tested here or declared as a command without a table', () => {
  const known = [...Object.keys(LINES), ...without];
  expect([...commands].sort()).toEqual(known.sort());
});

const WIDTHS = cases([60, 100, 200, 80, 120, 160], 3);

interface Tabular {
  readonly rows: readonly JsonRecord[];
  readonly columns: readonly Column[];
  readonly view: View;
}

const ID = /(^|\.)(id|\w+Id)$/;
/** Columns that the next step depends on. */
const WORDS = /^(cause|evidence|action|next|message|what to do)$/;
/** Matches text that looks like an amount, an id or a command line. */
const LOOK = /^(-?\d+(\.\d+)?|[a-z]{2,5}_[0-9a-f]{8,}|cryptodata [a-z].*)$/;

/** Amounts that a narrow table may hide, because the line shows a more important amount. Counts are not amounts. */
const SECONDARY: Readonly<Record<string, readonly string[]>> = {
  'ledgers list': ['value', 'balance after'],
  'txns ledgers': ['value', 'balance after'],
  'ledgers negative': ['opening balance', 'before', 'balance then'],
  'ledgers rollforward': ['profit'],
  'txns list': ['fees'],
  'ledgers list --sum-by asset,month': ['fee', 'costbasis', 'proceeds', 'incoming', 'outgoing'],
  'ledgers list --sum-by walletId,type': ['fee value', 'incoming value', 'outgoing value', 'value unknown'],
  'holdings list': ['cost per unit', '24 h', '24 h %'],
};
const COUNTS = /^(legs|transactions|line)$/;
/** Ids that the commands suggested below a table need. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'ledgers negative': ['leg'],
  'audit run': ['id', 'time'],
};

/** Returns whether a narrow table may hide a column: the column has no amount, and no id that the next command needs. */
function mayHide(words: string, { header, key, figure, places }: Column): boolean {
  const name = header ?? key;
  const isAmount = (figure === true || places !== undefined || /^at stake$/.test(name)) && !COUNTS.test(name);
  return !(isAmount && !SECONDARY[words]?.includes(name)) && !NEEDED[words]?.includes(name);
}

/** The column of the unit of an amount: money has a currency, and a quantity has an asset. */
function unitOf({ figure, header, key, places }: Column): 'currency' | 'asset' | undefined {
  const name = header ?? key;
  if (figure !== true || COUNTS.test(name) || name.includes('%') || /unknown$/.test(name)) return undefined;
  return places === undefined ? 'asset' : 'currency';
}

/** Searches a rendered table for values that must not be cut. */
function cutIn(words: string, { rows, columns, view }: Tabular, width: number): string[] {
  const { text, notes } = renderTable(rows, columns, {
    view,
    style: { terminal: true, colour: false, width },
  });
  const shown = stripVTControlCharacters(text);
  const flowing = shown.replace(/\s+/g, ' ');
  const hidden =
    /^Hidden to fit the terminal: (.*)\. To show/m.exec(notes.join('\n'))?.[1]?.split(', ') ?? [];
  const shownColumns = columns.filter(({ key, header = key }) => !hidden.includes(header));
  const withoutUnit = shownColumns.flatMap((column) => {
    const unit = columns.find(({ key, header = key }) => header === unitOf(column));
    // The column of the amount must declare its unit, because with larger amounts, even a wider terminal may hide the unit.
    const isDeclared = unit?.drop === undefined || column.unit === unit.key;
    return isDeclared && !hidden.includes(unit?.header ?? unit?.key ?? '')
      ? []
      : [`${column.key} without unit`];
  });
  const cut = columns.flatMap((column) => {
    const { figure, moment, whole, sentence, command, exact, places, key, header = key, drop } = column;
    if (hidden.includes(header))
      return drop === undefined || !mayHide(words, column) ? [`${header} is hidden`] : [];
    const isDeclared = figure || moment || whole || sentence || command || ID.test(key) || WORDS.test(header);
    return rows.flatMap((row) => {
      const value = columnValue(row, column, view);
      const written = showText(moment ? momentText(value, view.timeZone) : cellText(value));
      // A column may lack a declaration, so also recognise amounts, ids and command lines by their text.
      if (!isDeclared && !LOOK.test(written)) return [];
      const isRounded = !exact && (figure || places !== undefined);
      // Blocks with one line per field show every digit.
      const texts = [isRounded ? roundFigure(written, places) : written, written];
      const found = texts.some((one) =>
        !command && one.includes(' ') && !LOOK.test(one)
          ? flowing.includes(one.replace(/\s+/g, ' ').trim())
          : shown.includes(one),
      );
      return found ? [] : [`${header}: ${written}`];
    });
  });
  return [...withoutUnit, ...cut];
}

let filled = 0;
const TABLES = { ...LINES, ...SUMS };
test.each(Object.keys(TABLES))(
  '"%s" does not truncate amounts, ids, times or commands at any width',
  async (words) => {
    const tables: Tabular[] = [];
    const all: JsonRecord[] = [];
    const tableOf = ({ table }: Columns) => table;
    const args = [...words.replace(/ (list|run)$/, (word) => (word === ' list' ? word : '')).split(' ')];
    const { error } = await endHere(
      [...args, ...(TABLES[words]?.() ?? [])],
      sandbox.env,
      '',
      async (outcome, view) => {
        if (outcome.kind === 'rows') {
          for await (const row of outcome.rows) all.push(row);
          const { columns } = outcome;
          tables.push({
            rows: all,
            columns: tableOf(typeof columns === 'function' ? columns(all) : columns),
            view,
          });
          return { ...outcome, rows: all };
        }
        if (outcome.kind === 'record') {
          for (const { rows, columns, view: own = view } of outcome.parts ?? [])
            tables.push({
              rows,
              columns: tableOf(typeof columns === 'function' ? columns(rows) : columns),
              view: own,
            });
        }
        return outcome;
      },
    );
    if (error !== undefined) expect(error).toMatchObject({ kind: 'unverified' });
    filled += tables.filter(({ rows }) => rows.length > 0).length;
    for (const table of tables) {
      for (const width of WIDTHS) {
        expect(cutIn(words, table, width).slice(0, 5), `${words} at ${width} columns`).toEqual([]);
      }
    }
  },
);

test('most of the tables have rows in the sandbox', () => {
  expect(filled).toBeGreaterThan(30);
});

test.each(WIDTHS)(
  'in a roll-forward of %i characters, all amounts are shown; only the profit may be hidden, with a note',
  async (width) => {
    const { stdout } = await runHere(['ledgers', 'rollforward', ...Q, '--json'], sandbox.env);
    const { ROLLFORWARD_COLUMNS } = await import('../../src/app/rollforward-lines.ts');
    const style = { terminal: true, colour: false, width };
    const { text, notes } = renderTable(JSON.parse(stdout), ROLLFORWARD_COLUMNS.table, {
      view: { timeZone: 'UTC' },
      style,
    });
    for (const name of ['opening', 'in', 'out', 'fees', 'closing', 'difference']) {
      expect(text.split('\n').slice(0, 12).join('\n')).toMatch(new RegExp(`\\b${name}\\b`));
    }
    expect(notes.filter((note) => note.startsWith('Hidden'))).toEqual(
      notes.filter((note) => note === 'Hidden to fit the terminal: profit. To show them, use --no-truncate.'),
    );
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  },
);

test('"ledgers verify" explains a total that differs from the number of rows', async () => {
  const args = ['ledgers', 'export', '--period', '2023', '--tz', 'UTC', '--out', file('beside.csv')];
  await runHere(args, sandbox.env);
  const { stdout } = await runHere(['ledgers', 'verify', file('beside.csv'), '--json'], sandbox.env);
  const { rows, total, besideRange } = JSON.parse(stdout);
  // The sandbox has legs in the first millisecond after the year, which lie beside the range.
  expect(besideRange).toBeGreaterThan(0);
  expect(total).toBe(rows + besideRange);
});
