import { nullable, text, word } from '../../api/records.ts';
import { type NounVerbs, verb } from '../../cli/define.ts';
import { toggle } from '../../cli/flags.ts';
import { listOf, made, optional } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import type { CryptodataError } from '../../core/errors.ts';
import type { Columns } from '../../formats/columns.ts';
import { checkCredentials, checkKeychain, foreignAddress } from './credentials.ts';
import { checkClock, reach } from './reach.ts';
import { type DoctorCheck, found } from './report.ts';
import { checkSettings, describeMachine } from './settings.ts';

const CHECK = made({
  check: text,
  state: word('ok', 'info', 'warning', 'problem', 'skipped'),
  detail: text,
  next: optional(nullable(text)),
});

const doctor = verb({
  name: 'doctor',
  summary: 'Check the installation, and collect data for a bug report',
  about:
    'Checks versions, settings, the keychain (write, read, delete), the clock and each address. The output contains no secrets, so you can paste it into a bug report.\n\nIf the stored login belongs to an address other than the configured one, no request is sent, and the command exits with 2.',
  flags: { exitCode: toggle('--exit-code', 'exit with 10 if there is a problem') },
  examples: {
    'Check the installation': 'cryptodata doctor',
    'Save the result for a bug report': 'cryptodata doctor --json > doctor.json',
    'Fail early in CI': 'cryptodata doctor --exit-code --quiet',
  },
  prints: 'Records { check, state, detail, next }. state is ok, info, warning, problem or skipped.',
  output: [listOf(CHECK)],
  exits: [0, 2, 10, 130],
  async run(context, { exitCode }) {
    const foreign = await foreignAddress(context);
    const checks = await examine(context, foreign);
    const problems = checks.filter(({ state }) => state === 'problem').length;
    return {
      kind: 'rows',
      rows: checks.map((check) => ({ ...check })),
      columns: COLUMNS,
      found: () => (exitCode ? problems : 0),
      failed: () => foreign,
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

/** The order of the checks matters: a failed check can explain why later checks fail. */
async function examine(context: Context, foreign: CryptodataError | undefined): Promise<DoctorCheck[]> {
  const settings = await checkSettings(context);
  const keychain = await checkKeychain(context);
  const credentials = foreign
    ? found('credentials', 'problem', foreign.message, foreign.hint ?? null)
    : await checkCredentials(context);
  const answers = await reach(context, foreign !== undefined);
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
  table: [
    { key: 'check', whole: true },
    { key: 'state', whole: true },
    { key: 'detail', sentence: true },
    { key: 'next', sentence: true },
  ],
  csv: [{ key: 'check' }, { key: 'state' }, { key: 'detail' }, { key: 'next' }],
};

export const noun: NounVerbs = { verbs: [doctor], lenient: true };
