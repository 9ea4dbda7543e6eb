import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { addScaled, scaled, withoutZeros } from '../books/journal-legs.ts';

export const PLAIN_TEXT = ['hledger', 'ledger', 'beancount'] as const;
export type PlainTextTool = (typeof PLAIN_TEXT)[number];
/** Programs that tests of plain-text journals require. */
export const PROGRAMS = ['hledger', 'ledger', 'bean-check'];

function run(program: string, ...args: string[]): string {
  const env = { ...process.env, LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' };
  return execFileSync(program, args, { encoding: 'utf8', env, maxBuffer: 1 << 28, stdio: 'pipe' });
}

/** Throws if the program rejects the journal. Uses the program's strict mode, if it has one. */
export function check(tool: PlainTextTool, file: string): void {
  if (tool === 'hledger') run('hledger', '-f', file, 'check', '--strict');
  else if (tool === 'ledger') run('ledger', '-f', file, '--strict', '--pedantic', 'balance');
  else run('bean-check', '--no-cache', file);
}

/** Returns the postings that have a different date than their entry, according to the program. */
export function redated(tool: PlainTextTool, file: string): string[] {
  // In beancount, postings have no dates.
  if (tool === 'beancount') return [];
  if (tool === 'ledger') {
    const format = '%(format_date(xact.date)) %(format_date(date)) %(account)\\n';
    const lines = run('ledger', '-f', file, 'register', '--format', format).split('\n');
    return lines.filter((line) => !/^(?:$|(\S+) \1 )/.test(line));
  }
  const dates = new Map<string, string>();
  return run('hledger', '-f', file, 'register', '-O', 'csv')
    .split('\n')
    .filter((line) => {
      const [, entry = '', date = ''] = /^"(\d+)","([\d-]+)"/.exec(line) ?? [];
      if (entry === '') return false;
      const first = dates.get(entry) ?? date;
      dates.set(entry, first);
      return date !== first;
    });
}

/** A Python script that sums the positions of accounts with beancount's own code. */
const BEANCOUNT = `
import decimal, sys
if len(sys.argv) > 3:
    decimal.getcontext().prec = int(sys.argv[3])
from beancount import loader
from beancount.core import data, inventory
entries, errors, _ = loader.load_file(sys.argv[1])
assert not errors, errors
held = inventory.Inventory()
for entry in entries:
    if isinstance(entry, data.Transaction):
        for posting in entry.postings:
            if posting.account.startswith(sys.argv[2]):
                held.add_amount(posting.units)
for position in held:
    print(format(position.units.number, 'f'), position.units.currency)
`;

/** Returns the balance of each commodity in an account and its subaccounts. The program computes the balances. */
function balances(tool: PlainTextTool, file: string, account: string, digits?: number): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  const add = (amount: string, name: string) => addScaled(sums, name.replace(/^"|"$/g, ''), scaled(amount));
  if (tool === 'beancount') {
    // The Python interpreter that runs bean-check has the beancount modules. The first python3 in PATH may not have them.
    const interpreter = run('sh', '-c', 'head -n 1 "$(command -v bean-check)"').slice(2).trim();
    const output = run(interpreter, '-c', BEANCOUNT, file, account, ...(digits ? [String(digits)] : []));
    for (const line of output.split('\n').filter((text) => text !== '')) {
      const [amount = '', name = ''] = line.split(' ');
      add(amount, name);
    }
    return withoutZeros(sums);
  }
  const args = ['-f', file, 'balance', `^${account}`];
  const output =
    tool === 'hledger'
      ? run('hledger', ...args, '--depth', '1', '-N', '-O', 'csv', '--layout', 'tall')
      : run('ledger', ...args, '--depth', '2', '--no-total', '--balance-format', '%(display_total)\n');
  for (const [, amount = '', quoted, bare = ''] of output.matchAll(
    /(-?[0-9]+(?:\.[0-9]+)?) (?:"+([^"\n]+)"+|([^",\s]+))/g,
  )) {
    add(amount, quoted ?? bare);
  }
  return withoutZeros(sums);
}

/** Maps each declared commodity to its asset id, or to `symbol X` if it has no asset id. */
function assetsIn(tool: PlainTextTool, file: string): Map<string, string> {
  const text = readFileSync(file, 'utf8');
  const declared =
    tool === 'ledger'
      ? /^commodity "(?<name>.*)"\n {4}note symbol (?<symbol>.*?)(?:, asset (?<asset>.*))?$/gm
      : tool === 'hledger'
        ? /^commodity [0-9.]+ "(?<name>.*)"\n {2}; symbol: (?<symbol>.*)(?:\n {2}; asset: (?<asset>.*))?$/gm
        : /^1970-01-01 commodity (?<name>.*)\n {2}symbol: "(?<symbol>.*)"(?:\n {2}asset: "(?<asset>.*)")?$/gm;
  const assets = new Map<string, string>();
  for (const { groups: { name = '', symbol = '', asset } = {} } of text.matchAll(declared)) {
    if (assets.has(name)) throw new Error(`declared twice: ${name}`);
    const served = tool === 'beancount' ? symbol.replace(/\\(.)/g, '$1') : symbol;
    assets.set(name, asset ?? `symbol ${served}`);
  }
  for (const [, name = '', asset = ''] of text.matchAll(/^; The asset id of (.*?) is (.*)$/gm)) {
    assets.set(name.replace(/^"|"$/g, ''), asset);
  }
  return assets;
}

/**
 * Returns the holdings of each asset over all wallets. The program computes the holdings.
 *
 * @param digits precision of beancount (default: 28)
 */
export function holdings(tool: PlainTextTool, file: string, digits?: number): Map<string, bigint> {
  const assets = assetsIn(tool, file);
  const account = tool === 'beancount' ? 'Assets:Holdings' : 'assets:holdings';
  return new Map(
    [...balances(tool, file, account, digits)].map(([name, sum]) => [assets.get(name) ?? name, sum]),
  );
}

/** Returns the account balances that hledger computes from a CSV file with these rules. */
export function readBack(file: string, rules: string): Map<string, bigint> {
  const output = run(
    'hledger',
    '-f',
    `csv:${file}`,
    '--rules-file',
    rules,
    'balance',
    '-N',
    '-E',
    '-O',
    'csv',
  );
  const sums = new Map<string, bigint>();
  for (const [, account = '', amount = ''] of output.matchAll(/^"(.*)","(-?[0-9.]+)(?: .*)?"$/gm)) {
    if (account !== 'account') addScaled(sums, account, scaled(amount));
  }
  return withoutZeros(sums);
}
