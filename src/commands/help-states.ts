import { text } from '../api/records.ts';
import { STATE_CATALOGUE } from '../api/states.ts';
import { type NounVerbs, verb } from '../cli/define.ts';
import { listOf, served } from '../cli/output.ts';
import { unknownOperand } from '../core/nearest.ts';
import type { Columns } from '../formats/columns.ts';

const COLUMNS: Columns = {
  table: ['state', 'vocabulary', 'terminal', 'means'].map((key) => ({ key })),
  csv: ['state', 'vocabulary', 'terminal', 'means', 'seen'].map((key) => ({ key })),
};

const states = verb({
  name: 'states',
  summary: 'Explain the states of accounts, syncs, runs and periods',
  about:
    'Accounts, syncs, background runs and accounting periods each have their own states. Do not compare account states with sync states. The specification names only two of the seven sync states.',
  operands: [
    {
      written: '[state]',
      describe: 'state to explain, as printed by a command (default: all)',
      suggests: () => [...new Set(STATE_CATALOGUE.map(({ state }) => state))],
    },
  ],
  flags: {},
  examples: {
    'Explain one state': 'cryptodata help states COMPLETED',
    'List the states of a sync': `cryptodata help states --json | jq '.[] | select(.vocabulary == "sync")'`,
  },
  prints:
    'Records { state, vocabulary, terminal, means, seen }. terminal is null if the specification does not define it.',
  output: [listOf(served({ state: text }))],
  exits: [0, 2, 5],
  async run(_context, _flags, [name]) {
    const wanted = name?.toLowerCase();
    const found = STATE_CATALOGUE.filter(
      ({ state }) => wanted === undefined || state.toLowerCase() === wanted,
    );
    if (name !== undefined && found.length === 0) {
      const states = STATE_CATALOGUE.map(({ state }) => state);
      const list =
        'The specification does not name five of the sync states. To list the states that are known: cryptodata help states';
      throw unknownOperand('UNKNOWN_STATE', 'state', name, states, list);
    }
    return { kind: 'rows', rows: found.map((entry) => ({ ...entry })), columns: COLUMNS };
  },
});

export const noun: NounVerbs = { verbs: [states] };
