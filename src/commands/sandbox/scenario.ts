import { text } from '../../api/records.ts';
import { columnsFlagOf, sameColumns } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { listOf, made, oneOf, served } from '../../cli/output.ts';
import { unknownOperand } from '../../core/nearest.ts';
import { SCENARIOS } from '../../sandbox/faults/scenarios.ts';

export const scenario = verb({
  name: 'scenario',
  summary: 'List the scenarios, or print one scenario for editing',
  about: `A scenario has a seed, faults in the syntax of --fault, and steps { at, times, every, post, body }. A step starts when the sandbox's clock reaches "at" (in milliseconds). The step sends "body" to the control endpoint that "post" names. The placeholder {integration} is replaced with the id of a connected account. To change a scenario, print it to a file, edit the file, and pass the file to --scenario.`,
  operands: [{ written: '[name]', describe: 'a scenario', suggests: () => Object.keys(SCENARIOS) }],
  flags: { columns: columnsFlagOf(() => COLUMNS) },
  examples: {
    'List the scenarios': 'cryptodata sandbox scenario',
    'Write a scenario to a file': 'cryptodata sandbox scenario flaky-network > mine.json',
    'Run an export during the scenario':
      'cryptodata sandbox exec --scenario mine.json -- cryptodata ledgers export --out all.csv',
  },
  prints: 'Without a name: records { name, about }.\nWith a name: one scenario as JSON, regardless of -o.',
  output: [
    listOf(made({ name: text, about: text })),
    oneOf(served({ about: text }), { when: 'with a name' }),
  ],
  exits: [0, 2, 5],
  async run(_context, _flags, [name]) {
    if (name === undefined) {
      const rows = Object.entries(SCENARIOS).map(([known, { about }]) => ({ name: known, about }));
      return { kind: 'rows', rows, columns: COLUMNS };
    }
    const found = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
    if (found === undefined) {
      const names = Object.keys(SCENARIOS);
      const start = names.find((known) => known.startsWith(name));
      const list = 'List the scenarios with: cryptodata sandbox scenario';
      const hint = start === undefined ? list : `Did you mean ${start}?`;
      throw unknownOperand('NO_SUCH_SCENARIO', 'scenario', name, start === undefined ? names : [], hint);
    }
    return { kind: 'text', text: JSON.stringify(found, null, 2), record: { ...found } };
  },
});

const COLUMNS = sameColumns('name', 'about');
