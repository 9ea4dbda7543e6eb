import { type Noun, verb } from '../cli/define.ts';
import { CryptodataError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { STATE_CATALOGUE } from '../core/state-catalogue.ts';
import type { Columns } from '../formats/columns.ts';

const COLUMNS: Columns = {
  table: ['state', 'vocabulary', 'terminal', 'means'].map((key) => ({ key })),
  csv: ['state', 'vocabulary', 'terminal', 'means', 'seen'].map((key) => ({ key })),
};

const states = verb({
  name: 'states',
  summary: 'Every state that the service names: what it means and where it is seen',
  about:
    'Accounts, syncs, background runs and accounting periods each have states of their own; those of accounts and syncs must not be compared. Of the seven states of a sync the specification names two.',
  operands: [{ written: '[state]', describe: 'one state, as a command shows it' }],
  flags: {},
  examples: [
    { says: 'What does COMPLETED not say?', line: 'cryptodata help states COMPLETED' },
    {
      says: 'Those of a sync',
      line: `cryptodata help states --json | jq '.[] | select(.vocabulary == "sync")'`,
    },
  ],
  prints:
    'Records { state, vocabulary, terminal, means, seen }; terminal is null where the specification does not show it.',
  exits: [0, 2, 5],
  async run(_context, _flags, [name]) {
    const found = STATE_CATALOGUE.filter(({ state }) => name === undefined || same(state, name));
    if (found.length === 0) throw unknownState(name ?? '');
    return { kind: 'rows', rows: found.map((entry) => ({ ...entry })), columns: COLUMNS };
  },
});

function same(state: string, name: string): boolean {
  return state.toLowerCase() === name.toLowerCase();
}

function unknownState(name: string): CryptodataError {
  const near = nearest(
    name,
    STATE_CATALOGUE.map(({ state }) => state),
  );
  return new CryptodataError(
    'notFound',
    'UNKNOWN_STATE',
    `The specification of the service names no state ${JSON.stringify(name)}`,
    {
      hint: near
        ? `Did you mean ${near}?`
        : 'A sync has five states that it does not name. All others: cryptodata help states',
    },
  );
}

export const noun: Noun = { name: 'states', summary: states.summary, verbs: [states] };
