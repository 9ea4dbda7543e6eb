import { Command } from 'commander';
import { anything, arrayOf, bool, int, nullable, text } from '../api/records.ts';
import { sameColumns } from '../cli/common-flags.ts';
import { type LazyNoun, type NounVerbs, verb } from '../cli/define.ts';
import { describeCommand, entriesOf } from '../cli/describe.ts';
import { EXIT_MEANINGS } from '../cli/exits.ts';
import { addGlobals } from '../cli/globals.ts';
import { made, oneOf, part } from '../cli/output.ts';
import { VERSION } from '../core/version.ts';

const exit = part({ code: int, meaning: text });
export const COMMAND = {
  command: text,
  isDefault: bool,
  summary: text,
  about: nullable(text),
  reads: bool,
  operands: arrayOf(part({ name: text, required: bool, repeated: bool, summary: text })),
  flags: arrayOf(
    part({
      name: text,
      written: text,
      alias: nullable(text),
      summary: text,
      schema: anything,
      default: anything,
    }),
  ),
  output: text,
  schema: nullable(text),
  exits: arrayOf(exit),
  examples: arrayOf(part({ says: text, line: text })),
};

/** @param tree every command */
export function commandsOf(tree: readonly LazyNoun[]): { readonly noun: NounVerbs } {
  const commands = verb({
    name: 'commands',
    summary: 'List every command with its flags, output and exit codes',
    about:
      'The list is for coding agents and other programs that build command lines. Each flag has a JSON Schema for its value. "cryptodata schema COMMAND" prints the JSON Schema of the output.',
    flags: {},
    examples: {
      'List the commands': 'cryptodata commands',
      'List the flags of a command': `cryptodata commands --json | jq -r '.commands[] | select(.command == "ledgers negative") | .flags[].written'`,
    },
    prints: `One record { version, globalFlags, exits, commands } (json); one command per line or row (jsonl, csv).
commands: { command, isDefault, summary, about, reads, operands, flags, output, schema, exits, examples }.
flags: { name, written, alias, summary, schema, default }.`,
    output: [
      oneOf(
        made({
          version: text,
          globalFlags: arrayOf(part({ written: text, summary: text })),
          exits: arrayOf(exit),
          commands: arrayOf(part(COMMAND)),
        }),
        { line: made(COMMAND) },
      ),
    ],
    exits: [0, 2],
    async run(context) {
      const rows = (await entriesOf(tree)).map(describeCommand);
      if ((await context.format()) !== 'json') return { kind: 'rows', rows, columns: COLUMNS };
      const record = {
        version: VERSION,
        globalFlags: globalFlags(),
        exits: [...EXIT_MEANINGS].map(([code, meaning]) => ({ code, meaning })),
        commands: rows,
      };
      return { kind: 'record', record, columns: COLUMNS };
    },
  });
  return { noun: { verbs: [commands], lenient: true } };
}

const COLUMNS = sameColumns('command', 'summary');

function globalFlags() {
  const program = new Command();
  addGlobals(program);
  return program.options.map(({ flags, description }) => ({ written: flags, summary: description }));
}
