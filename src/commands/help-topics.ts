import { periodFlags } from '../app/period.ts';
import { sameColumns } from '../cli/common-flags.ts';
import { type Examples, examplesOf, type NounVerbs, verb } from '../cli/define.ts';
import { EXIT_MEANINGS } from '../cli/exits.ts';
import { exampleText, type Section, sectionText } from '../cli/help.ts';
import { widthOf } from '../cli/wrap.ts';
import { findSetting } from '../config/definitions.ts';
import { CREDENTIALS, OTHER_VARIABLES, SETTING_VARIABLES, type Variable } from '../config/variables.ts';
import type { JsonRecord } from '../core/json.ts';
import { wrap } from '../core/wrap.ts';
import { formatNamed, OUTPUT_FORMATS } from '../formats/registry.ts';

/** A help page about a topic that concerns several commands. */
interface Page {
  readonly examples: Examples;
  readonly sections: readonly Section[];
  /** The content of the page as records, for all output formats except tables. */
  readonly rows?: readonly JsonRecord[];
}

const variables = (heading: string, all: readonly Variable[]): Section => ({
  heading,
  items: all.map(({ name, describe }) => [name, describe]),
});

const PAGES: Readonly<Record<string, Page>> = {
  environment: {
    examples: {
      'Use another profile for one command': 'CRYPTODATA_PROFILE=acme cryptodata ledgers',
      'Show where each setting comes from': 'cryptodata config list --show-origin',
    },
    sections: [
      variables('Credentials (never pass them as arguments):', CREDENTIALS),
      variables('Settings:', SETTING_VARIABLES),
      variables('Others:', OTHER_VARIABLES),
      {
        heading: '',
        lines: [
          'A flag overrides the environment, the environment overrides config.toml, and config.toml overrides the default. An empty CRYPTODATA variable counts as unset.',
        ],
      },
    ],
    rows: [...CREDENTIALS, ...SETTING_VARIABLES, ...OTHER_VARIABLES].map(({ name, describe }) => ({
      name,
      meaning: describe,
      secret: CREDENTIALS.some((variable) => variable.name === name),
    })),
  },
  'exit-codes': {
    examples: {
      'Fail a job if a balance is negative':
        'cryptodata ledgers negative --exit-code || echo "check the books"',
      'Print the exit code of the last command': 'cryptodata whoami; echo $?',
    },
    sections: [
      { heading: 'Exit codes:', items: [...EXIT_MEANINGS].map(([code, meaning]) => [String(code), meaning]) },
      {
        heading: '',
        lines: ['The help of each command lists its exit codes.'],
      },
    ],
    rows: [...EXIT_MEANINGS].map(([code, meaning]) => ({ code, meaning })),
  },
  output: {
    examples: {
      'Print JSON': 'cryptodata ledgers --json',
      'Choose columns': 'cryptodata ledgers --columns id,time,asset.symbol,quantity --csv',
      'Add a column to the default columns': 'cryptodata ledgers --columns +transactionId',
      'Print one field of each row': "cryptodata ledgers --jq '.[].id'",
      'Print the request as a curl command': 'cryptodata ledgers --types fee --curl',
      'Always print JSON': 'cryptodata config set output json',
    },
    sections: [
      {
        heading: 'Formats (-o):',
        items: OUTPUT_FORMATS.map((name) => [name, formatNamed(name).describe ?? '']),
      },
      {
        heading: '',
        lines: [
          'Results go to stdout. Notes, warnings, progress and errors go to stderr. With -o json or -o jsonl, each line on stderr is a JSON object.',
          '',
          'The output format never depends on the terminal. Only colours, the width of tables and the use of the pager depend on the terminal.',
          '',
          'Amounts keep every digit in json, jsonl and csv. --all reads all pages of a list. --limit N reads N rows. --quiet hides notes and progress.',
          '',
          '--jq EXPRESSION filters the JSON result as jq does. Strings are printed without quotes, and other values as JSON on one line. --curl sends nothing: it prints the request as a curl command, with variables in place of credentials.',
        ],
      },
    ],
    rows: OUTPUT_FORMATS.map((name) => ({ format: name, meaning: formatNamed(name).describe ?? '' })),
  },
  time: {
    examples: {
      'List the ledgers of a quarter': 'cryptodata ledgers --period 2025-Q3',
      'List the ledgers of one day in Berlin time':
        'cryptodata ledgers --from 2025-03-30 --to 2025-03-30 --tz Europe/Berlin',
      'List the ledgers of a fiscal year': 'cryptodata ledgers --period 2025 --fiscal-year-start 04-06',
      'Set the time zone for all commands': 'cryptodata config set tz Europe/Berlin',
    },
    sections: [
      {
        heading: 'Flags:',
        items: [
          ...Object.values(periodFlags).map(({ written, describe }): [string, string] => [written, describe]),
          ['--tz <zone>', findSetting('tz').describe],
        ],
      },
      {
        heading: '',
        lines: [
          'To choose a time zone, use --tz or the setting tz. The default is the time zone of this machine. A day is a whole calendar day in the chosen time zone, even when the clocks change. The period and the time zone are printed with the result.',
          '',
          'Tables, CSV and XLSX show times in the chosen time zone. JSON contains times as the service sent them, in Unix milliseconds.',
        ],
      },
    ],
  },
  scripting: {
    examples: {
      'Count legs with a negative balance':
        'cryptodata ledgers list --lt-after-balance 0 --all --json | jq length',
      'Fail a pipeline if the export fails':
        'set -o pipefail; cryptodata ledgers export --out - --format jsonl | gzip > all.jsonl.gz',
      'Preview a write': 'cryptodata txns batch changes.json --dry-run',
      'Test a script without an account': 'cryptodata sandbox exec -- ./script.sh',
    },
    sections: [
      {
        heading: '',
        lines: [
          'Log in with CRYPTODATA_ACCESS_TOKEN, or with CRYPTODATA_API_KEY and CRYPTODATA_WORKSPACE. You can also set the service addresses with environment variables (cryptodata help environment).',
          '',
          'In a script, check the exit code (cryptodata help exit-codes), or error.code with --json. Never check the text of a message.',
          '',
          'Read requests are retried after connection errors, and after the statuses 408, 425, 429, 500, 502 to 504 and 520 to 524. Write requests are never retried. Commands that write ask for confirmation on a terminal, and need --yes in a script.',
          '',
          'The same input produces the same data on a terminal and in a pipe. It is not an error if a program such as head closes the pipe early.',
        ],
      },
    ],
  },
  security: {
    examples: {
      'Store an API key in the keychain':
        'cryptodata login --with-api-key --workspace ws_5f2c8e01b7 < key.txt',
      'Revoke and delete the session': 'cryptodata logout',
      'Collect facts for a bug report, without secrets': 'cryptodata doctor',
    },
    sections: [
      {
        heading: '',
        lines: [
          'Refresh tokens, client secrets and API keys are stored in the keychain of your system. With CRYPTODATA_KEYCHAIN=file, they are stored in a file that is encrypted with your passphrase. Without a working keychain, commands fail. Nothing is ever stored in plain text.',
          '',
          'No command takes a token, a client secret or an API key as an argument, because other users can see command lines. The tool reads these secrets from stdin, from a hidden prompt, from the keychain, or from these environment variables:',
        ],
      },
      { heading: '', items: CREDENTIALS.map(({ name, describe }) => [name, describe]) },
      {
        heading: '',
        lines: [
          'Secrets are masked in errors, in notes and in the output of --debug. They are sent over HTTPS, only to the addresses that you configured, and never after a redirect.',
        ],
      },
    ],
  },
};

/** Builds the command that prints a topic: `cryptodata help NAME`. */
export function topicNamed(name: string, summary: string): { readonly noun: NounVerbs } {
  const { rows } = pageNamed(name);
  const topic = verb({
    name,
    summary,
    flags: {},
    examples: {
      'Show this topic': `cryptodata help ${name}`,
    },
    prints: rows
      ? `Text; records { ${Object.keys(rows[0] ?? {}).join(', ')} } in other formats.`
      : 'Text; { topic, text } in other formats.',
    exits: [0, 2],
    async run(context) {
      // Invalid settings must not hide this help.
      const format = await context.format().catch(() => 'table');
      if (rows && format !== 'table') {
        return { kind: 'rows', rows, columns: sameColumns(...Object.keys(rows[0] ?? {})) };
      }
      const text = topicText(name, summary, widthOf(context));
      return { kind: 'text', text, record: { topic: name, text } };
    },
  });
  return { noun: { verbs: [topic], lenient: true, anyProfile: true } };
}

/** The text of a topic. Examples come first, as in the help of a command. */
export function topicText(name: string, summary: string, width: number): string {
  const { examples, sections } = pageNamed(name);
  const blocks = [
    wrap(`${summary}.`, width),
    `Examples:\n${examplesOf(examples)
      .map((example) => exampleText(example, width))
      .join('\n\n')}`,
    ...sections.map((section) => sectionText(section, width)),
  ];
  return blocks.join('\n\n');
}

function pageNamed(name: string): Page {
  const page = PAGES[name];
  if (!page) throw new Error(`no page for the topic ${name}`);
  return page;
}
