import { type Noun, verb } from '../../cli/define.ts';
import { toggle } from '../../cli/flags.ts';
import type { Context } from '../../context.ts';
import type { Columns } from '../../formats/columns.ts';
import { checkCredentials, checkKeychain } from './credentials.ts';
import { checkClock, reach } from './reach.ts';
import type { Check } from './report.ts';
import { checkSettings, describeMachine } from './settings.ts';

const doctor = verb({
  name: 'doctor',
  summary: 'Check the installation, and gather what a bug report needs',
  about:
    'Versions, settings, a round trip through the keychain, the clock against that of the service, and whether each address answers. No secret is in what it prints: it can be put into a bug report as it is.',
  flags: { exitCode: toggle('--exit-code', 'end with 10 where there is a problem') },
  examples: [
    { says: 'What is wrong here?', line: 'cryptodata doctor' },
    { says: 'For a bug report', line: 'cryptodata doctor --json > doctor.json' },
    { says: 'In CI, before the real work', line: 'cryptodata doctor --exit-code --quiet' },
  ],
  prints: 'Records { check, state, detail, next }; state is ok, info, warning, problem or skipped.',
  exits: [0, 2, 10, 130],
  async run(context, { exitCode }) {
    const checks = await examine(context);
    const problems = checks.filter(({ state }) => state === 'problem').length;
    return {
      kind: 'rows',
      rows: checks.map((check) => ({ ...check })),
      columns: COLUMNS,
      found: () => (exitCode ? problems : 0),
      notes: () => [
        {
          text:
            problems === 0
              ? 'No problem found.'
              : `${problems} ${problems === 1 ? 'problem' : 'problems'} found.`,
        },
      ],
    };
  },
});

/** In order, so that what is said first explains what is said later. */
async function examine(context: Context): Promise<Check[]> {
  const settings = await checkSettings(context);
  const keychain = await checkKeychain(context);
  const credentials = await checkCredentials(context);
  const answers = await reach(context);
  return [
    ...describeMachine(context),
    ...settings,
    keychain,
    credentials,
    ...answers.map(({ check }) => check),
    checkClock(answers, context.now()),
  ];
}

const COLUMNS: Columns = {
  table: [{ key: 'check' }, { key: 'state' }, { key: 'detail' }, { key: 'next' }],
  csv: [{ key: 'check' }, { key: 'state' }, { key: 'detail' }, { key: 'next' }],
};

export const noun: Noun = { name: 'doctor', summary: doctor.summary, verbs: [doctor], lenient: true };
