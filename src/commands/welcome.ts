import { profileNames } from '../auth/profiles.ts';
import { hasApiKey, hasSession } from '../auth/session-file.ts';
import { type Example, type NounVerbs, verb } from '../cli/define.ts';
import { exampleText } from '../cli/help.ts';
import { widthOf } from '../cli/wrap.ts';
import { readConfig } from '../config/file.ts';
import { configFile } from '../config/paths.ts';
import type { Context } from '../context.ts';
import { CryptodataError } from '../core/errors.ts';
import { wrap } from '../core/wrap.ts';

interface State {
  readonly says: string;
  readonly next: readonly Example[];
}

const TRY: Example = {
  says: 'Try the tool without an account',
  line: 'cryptodata sandbox exec -- cryptodata ledgers',
};
const WORK: readonly Example[] = [
  { says: 'Check the books of the last quarter', line: 'cryptodata audit --period last-quarter' },
  { says: 'Export the last year', line: 'cryptodata ledgers export --period last-year --out ledgers.csv' },
];
const WHO: Example = { says: 'Show the user, the workspace and the scopes', line: 'cryptodata whoami' };

const welcome = verb({
  name: 'welcome',
  summary: 'Suggest what to do next',
  flags: {},
  examples: {
    'Suggest what to do next': 'cryptodata',
  },
  prints: 'Text. In other formats, one record { state, next }.',
  exits: [0],
  async run(context) {
    const { says, next } = await stateOf(context);
    const width = widthOf(context);
    const text = [
      wrap(says, width),
      ...next.map((example) => exampleText(example, width)),
      wrap(
        'To list all commands, run cryptodata --help. To read about a topic, run cryptodata help TOPIC.',
        width,
      ),
    ].join('\n\n');
    return { kind: 'text', text, record: { state: says, next: next.map(({ line }) => line) } };
  },
});

/** Reads only local files. Does not access the keychain or the service. */
async function stateOf(context: Context): Promise<State> {
  const { env, directory } = context;
  const variable = ['CRYPTODATA_ACCESS_TOKEN', 'CRYPTODATA_API_KEY'].find((name) => env[name]);
  if (variable !== undefined) return { says: `Commands use ${variable}.`, next: [WHO, ...WORK] };
  try {
    const config = await readConfig(configFile(directory));
    const names = await profileNames(directory, config);
    const isLoggedIn = (name: string) => hasSession(directory, name) || hasApiKey(directory, name);
    const chosen = env['CRYPTODATA_PROFILE'] ?? config.profile ?? 'default';
    return stateOfProfiles(names, chosen, isLoggedIn);
  } catch (error) {
    if (!(error instanceof CryptodataError)) throw error;
    return { says: `The settings cannot be read. ${error.message}. ${error.hint ?? ''}`.trim(), next: [TRY] };
  }
}

function stateOfProfiles(
  names: readonly string[],
  chosen: string,
  isLoggedIn: (name: string) => boolean,
): State {
  const login = chosen === 'default' ? 'cryptodata login' : `cryptodata login -p ${chosen}`;
  if (names.length === 0) {
    return {
      says: 'cryptodata exports and checks crypto portfolio, tax and accounting data. It is not set up yet.',
      next: [TRY, { says: 'Log in, and enter missing settings when prompted', line: login }],
    };
  }
  const others = names.filter((name) => name !== chosen);
  const several: Example[] =
    others.length > 0 ? [{ says: `Compare the ${names.length} profiles`, line: 'cryptodata profiles' }] : [];
  if (!isLoggedIn(chosen)) {
    return {
      says: `Profile ${chosen} is not logged in.`,
      next: [
        { says: 'Log in, and enter missing settings when prompted', line: login },
        { says: 'Show the settings of the current profile', line: 'cryptodata config' },
        ...several,
        TRY,
      ],
    };
  }
  const [other] = others.filter(isLoggedIn);
  return {
    says: `Commands use the login of profile ${chosen}.`,
    next: [
      ...WORK,
      ...(other === undefined
        ? [WHO]
        : [{ says: 'Use another profile for one command', line: `cryptodata ledgers -p ${other}` }]),
      ...several,
    ],
  };
}

export const noun: NounVerbs = {
  verbs: [welcome],
  lenient: true,
  anyProfile: true,
};
