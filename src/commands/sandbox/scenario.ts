import { columnsFlag, sameColumns } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { CryptodataError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { SCENARIOS } from '../../sandbox/faults/scenarios.ts';

export const scenario = verb({
  name: 'scenario',
  summary: 'The scenarios that --scenario knows, or one of them as a file to start from',
  about: `A scenario says what goes wrong when: a seed; faults, as --fault takes them; and steps { at, times, every, post, body }, done at the control endpoint /_sandbox/POST once so many milliseconds of the sandbox's clock have passed ({integration} is the id of a connected account). Print one, change it, and give the file to --scenario.`,
  operands: [{ written: '[name]', describe: 'one of them' }],
  flags: { columns: columnsFlag },
  examples: [
    { says: 'What there is', line: 'cryptodata sandbox scenario' },
    { says: 'A file to start from', line: 'cryptodata sandbox scenario flaky-network > mine.json' },
    {
      says: 'An export over it',
      line: 'cryptodata sandbox exec --scenario mine.json -- cryptodata ledgers export --out all.csv',
    },
  ],
  prints: 'Records { name, about }. With a name: the scenario as JSON, in every format.',
  exits: [0, 2, 5],
  async run(_context, { columns }, [name]) {
    if (name === undefined) {
      const rows = Object.entries(SCENARIOS).map(([known, { about }]) => ({ name: known, about }));
      return { kind: 'rows', rows, columns: COLUMNS, chosen: columns };
    }
    const found = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
    if (found === undefined) throw unknown(name);
    return { kind: 'text', text: JSON.stringify(found, null, 2), record: { ...found } };
  },
});

const COLUMNS = sameColumns('name', 'about');

function unknown(name: string): CryptodataError {
  const names = Object.keys(SCENARIOS);
  const near = names.find((known) => known.startsWith(name)) ?? nearest(name, names);
  return new CryptodataError('notFound', 'NO_SUCH_SCENARIO', `There is no scenario ${JSON.stringify(name)}`, {
    hint:
      near === undefined
        ? 'cryptodata sandbox scenario lists those that there are.'
        : `Did you mean ${near}?`,
  });
}
