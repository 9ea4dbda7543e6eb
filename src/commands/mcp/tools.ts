import type { Filters } from '../../api/filters.ts';
import { LISTS } from '../../api/index.ts';
import { ledgerFilters } from '../../api/ledgers.ts';
import type { Schema } from '../../api/records.ts';
import type { AnyVerb, LazyNoun } from '../../cli/define.ts';
import { type CommandEntry, findEntry, flagSchema, operandName } from '../../cli/describe.ts';

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The command for each value of the argument `noun`. A tool with one command has no argument `noun`. */
  readonly commands: Readonly<Record<string, string>>;
  /** The flags and operands that a call may set. Never add a flag or operand for a file, a path or a profile. */
  readonly names: readonly string[];
  readonly required?: readonly string[];
}

const PERIOD = ['period', 'from', 'to', 'fiscalYearStart'];
const PAIR = ['wallet', 'asset'];

const declared = LISTS.flatMap(({ filters, parameters }: { filters: Filters; parameters: Filters }) => [
  ...Object.keys(filters),
  ...Object.keys(parameters),
]);

export const TOOLS: readonly Tool[] = [
  {
    name: 'whoami',
    title: 'Current user',
    description: 'Show the current user, workspace, role, plan and granted scopes.',
    commands: { whoami: 'whoami' },
    names: [],
  },
  {
    name: 'list',
    title: 'List records',
    description:
      'List records in the workspace: ledgers (legs of transactions), transactions, holdings, balances, connected accounts and others. Amounts are exact decimal strings.',
    commands: {
      ledgers: 'ledgers list',
      txns: 'txns list',
      balances: 'balances list',
      rollforward: 'ledgers rollforward',
      disposals: 'ledgers disposals',
      holdings: 'holdings list',
      nfts: 'holdings nfts',
      defi: 'holdings defi',
      'calculated-balances': 'holdings balances',
      integrations: 'integrations list',
      'sync-status': 'sync status',
      labels: 'labels list',
      assets: 'assets search',
      spam: 'spam list',
      contacts: 'contacts list',
      'counter-parties': 'counter-parties list',
      providers: 'providers list',
    },
    names: [...PERIOD, ...PAIR, ...declared, 'preset', 'by', 'asOf', 'hideZero', 'status', 'text', 'columns'],
  },
  {
    name: 'get',
    title: 'Get one record',
    description: 'Show one record by its id: a ledger, all legs of a transaction, a sync, or a provider.',
    commands: { ledgers: 'ledgers get', txns: 'txns ledgers', sync: 'sync get', providers: 'providers get' },
    names: ['id'],
    required: ['id'],
  },
  {
    name: 'sums',
    title: 'Exact sums',
    description:
      'Sum ledgers exactly, grouped by asset, day, month, quarter, year or any field. Each sum has the number of unknown values.',
    commands: { ledgers: 'ledgers list' },
    names: [...PERIOD, ...PAIR, ...Object.keys(ledgerFilters), 'sumBy'],
    required: ['sumBy'],
  },
  {
    name: 'negative',
    title: 'Negative balances',
    description:
      'Find when and why running balances became negative. Each record is one episode, with the leg that started the episode.',
    commands: { ledgers: 'ledgers negative' },
    names: [...PERIOD, ...PAIR],
  },
  {
    name: 'audit',
    title: 'Audit',
    description:
      'Check the books and list findings, root causes first. A check that could not run is reported as "not-possible" with a reason, never as "passed".',
    commands: { audit: 'audit run' },
    names: [...PERIOD, ...PAIR, 'check', 'dust', 'minTotalGains'],
  },
  {
    name: 'explain',
    title: 'Explain a finding or a leg',
    description:
      'Explain an audit finding (noun: "audit") or a ledger (noun: "ledgers"). The result shows the surrounding legs, the likely causes with evidence, and the next command.',
    commands: { audit: 'audit explain', ledgers: 'ledgers explain' },
    names: [...PERIOD, 'id', 'dust', 'minTotalGains'],
    required: ['id'],
  },
];

type Argument = FlagArgument | OperandArgument;

export interface FlagArgument {
  readonly kind: 'flag';
  readonly long: string;
  /** Whether the flag is a switch without a value. */
  readonly isToggle: boolean;
  readonly schema: Schema;
  readonly help: string;
}

interface OperandArgument {
  readonly kind: 'operand';
  readonly schema: Schema;
  readonly help: string;
}

/** A command that a tool runs. `args` contains the arguments of the command by name. */
export interface Served {
  readonly noun: string;
  readonly entry: CommandEntry;
  readonly args: ReadonlyMap<string, Argument>;
  /** The flags with which the command limits its rows itself. `limit` means that the command always starts at the first row. */
  readonly paging: 'limit' | 'limit and offset' | undefined;
}

export async function servedBy({ commands, names }: Tool, tree: readonly LazyNoun[]): Promise<Served[]> {
  return Promise.all(
    Object.entries(commands).map(async ([noun, words]) => {
      const entry = await findEntry(tree, words.split(' '));
      if (!entry) throw new Error(`There is no command ${words}`);
      const args = new Map([...argumentsOf(entry.verb)].filter(([name]) => names.includes(name)));
      // With `--sum-by`, do not limit the rows of the command, because the sums must cover all rows.
      const isPaged = 'limit' in entry.verb.flags && !names.includes('sumBy');
      const paging = 'offset' in entry.verb.flags ? 'limit and offset' : 'limit';
      return { noun, entry, args, paging: isPaged ? paging : undefined };
    }),
  );
}

function argumentsOf({ operands = [], flags }: AnyVerb): Map<string, Argument> {
  const all = new Map<string, Argument>();
  for (const { written, describe } of operands) {
    // The operands `finding-id` and `ledger-id` both become the argument `id`.
    const name = operandName(written).replace(/^.*-/, '');
    all.set(name, { kind: 'operand', schema: { type: 'string' }, help: describe });
  }
  for (const [name, flag] of Object.entries(flags)) {
    const [long = ''] = /--[\w-]+/.exec(flag.written) ?? [];
    const isToggle = !/[<[]/.test(flag.written);
    all.set(name, { kind: 'flag', long, isToggle, schema: flagSchema(flag), help: flag.describe });
  }
  return all;
}

const MOST_ROWS = 200;
export const USUAL_ROWS = 50;

/** The arguments of every tool that returns rows or lists. */
const COMMON = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: MOST_ROWS,
    description: `rows to return (default: ${USUAL_ROWS}); the result contains the total`,
  },
  offset: { type: 'integer', minimum: 0, description: 'rows to skip' },
  timeZone: { type: 'string', description: 'IANA time zone for days and periods, such as Europe/Berlin' },
};

export function inputSchema({ commands, names, required = [] }: Tool, served: readonly Served[]): Schema {
  const isSingle = served.length === 1;
  const noun = { enum: Object.keys(commands), description: 'kind of record' };
  const own = [...new Set(names)].flatMap((name): [string, Schema][] => {
    const having = served.filter(({ args }) => args.has(name));
    return having.length === 0 ? [] : [[name, merged(name, having, isSingle)]];
  });
  return {
    type: 'object',
    properties: {
      ...(isSingle ? {} : { noun }),
      ...Object.fromEntries(own),
      ...(names.length === 0 ? {} : COMMON),
    },
    required: [...(isSingle ? [] : ['noun']), ...required],
    additionalProperties: false,
  };
}

/** Returns one schema for an argument that several commands share. If their schemas differ, only the type is checked. */
function merged(name: string, having: readonly Served[], isSingle: boolean): Schema {
  const all = having.flatMap(({ noun, args }) => {
    const found = args.get(name);
    return found ? [{ noun, ...found }] : [];
  });
  const helps = new Map<string, string[]>();
  for (const { help, noun } of all) helps.set(help, [...(helps.get(help) ?? []), noun]);
  const description = [...helps]
    .map(([help, nouns]) => (isSingle ? help : `${nouns.join(', ')}: ${help}`))
    .join('; ');
  const [first, ...others] = all.map(({ schema }) => schema);
  const isSame = others.every((schema) => JSON.stringify(schema) === JSON.stringify(first));
  return { ...(isSame ? first : loose(first ?? {})), description };
}

function loose({ type }: Schema): Schema {
  return type === 'array' ? { type, items: { type: 'string' } } : { type: type ?? 'string' };
}
