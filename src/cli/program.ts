import { Command, CommanderError } from 'commander';
import type { Globals } from '../context.ts';
import { usageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import type { AnyVerb, Asked, Execute, LazyNoun, Noun, Run } from './define.ts';
import { addGlobals, readGlobals } from './globals.ts';
import { formatHelp, type HelpText, nounHelp, optionDescription, setHelp, verbHelp } from './help.ts';
import { WIDEST } from './wrap.ts';

export interface ProgramOptions {
  readonly version: string;
  /** The commands, in the order in which the help lists them. */
  readonly tree: readonly LazyNoun[];
  /** The topics that `cryptodata help TOPIC` shows. */
  readonly topics: readonly LazyNoun[];
  /** The command to run if the command line is empty. */
  readonly welcome: LazyNoun;
  /** Runs a command with the given global flags. */
  readonly execute: (run: Run, globals: Globals, asked: Asked) => Promise<void>;
  readonly write: { readonly out: (text: string) => void; readonly err: (text: string) => void };
  readonly width: number | undefined;
}

/** Runs one command line. Loads only the {@link Noun} of the requested command. */
export async function runProgram(argv: readonly string[], options: ProgramOptions): Promise<void> {
  // Add the global flags before parsing. `parseOptions` then rejects a global flag whose value is missing.
  let program = withGlobals();
  const { operands } = program.parseOptions([...argv]);
  const { topics, welcome } = options;
  if (argv.length === 0) return runProgram([welcome.name], { ...options, topics: [...topics, welcome] });
  // `help ledgers export` becomes `ledgers export --help`, so that both report the same errors. Each help topic is also a
  // command, so `help TOPIC` becomes `TOPIC`.
  if (operands[0] === 'help') {
    await checkHelp(operands[1], options);
    return runProgram(helpWords(argv, operands, topics), options);
  }
  const [name, next] = operands;
  const execute: Execute = (run, asked) => options.execute(run, readGlobals(program), asked);
  const noun = await options.tree.find((lazy) => lazy.name === name)?.load();
  const own = ownFlags(noun, next);
  if (own.includes('--full')) program = withGlobals(own);
  setHelp(program, rootHelp(topics))
    .description(
      'Export and check crypto portfolio, tax and accounting data. Includes an offline sandbox of the service.',
    )
    .version(options.version, '-V, --version', 'show the version')
    .helpCommand('help [command|topic]', 'show help for a command or a topic');
  const topic = topics.find((lazy) => lazy.name === name);
  if (topic) program.addCommand(toCommand(await topic.load(), execute), { hidden: true });
  if (noun) program.addCommand(toCommand(noun, execute));
  else for (const lazy of options.tree) program.addCommand(stub(lazy));
  /** The command whose arguments are wrong. */
  let failed: Command | undefined;
  prepare(program, options, (command) => {
    failed = command;
  });
  if (name !== undefined) await checkNames(name, next, program, { noun, tree: options.tree });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode === 0) throw error;
    const { misplaced, withSuggestion } = await import('./suggestions.ts');
    throw misplaced(error, argv, program) ?? (failed ? withSuggestion(error, failed) : error);
  }
}

/** Rejects unknown names before parsing, because a default verb would treat an unknown name as an operand. */
async function checkNames(
  name: string,
  next: string | undefined,
  program: Command,
  { noun: loaded, tree }: { readonly noun: Noun | undefined; readonly tree: readonly LazyNoun[] },
): Promise<void> {
  const noun = program.commands.find((command) => command.name() === name);
  if (!noun) {
    const { unknownCommand, verbsNamed } = await import('./suggestions.ts');
    throw unknownCommand(name, 'cryptodata', program.commands, await verbsNamed(name, tree));
  }
  const verbs = noun.commands.map((command) => command.name());
  // If a noun has a single verb, the next word is an operand of the verb, as in `cryptodata assets LINK`.
  const [only, ...others] = noun.commands;
  if (only && others.length === 0 && only.registeredArguments.length > 0) return;
  // If the default verb has operands, it accepts any word that does not resemble the name of another verb, as in `cryptodata
  // mirror FOLDER`.
  const alone = loaded?.verbs.find((verb) => verb.name === loaded.alone);
  if (alone?.operands?.length && next !== undefined && nearest(next, verbs) === undefined) return;
  if (next !== undefined && verbs.length > 0 && !verbs.includes(next)) {
    const { unknownCommand } = await import('./suggestions.ts');
    throw unknownCommand(next, `cryptodata ${name}`, noun.commands);
  }
}

function withGlobals(replaced: readonly string[] = []): Command {
  const program = new Command('cryptodata').exitOverride().configureOutput({ outputError: () => {} });
  addGlobals(program, replaced);
  return program;
}

/** Returns the flags of the verb that the command line names. If it names no verb, returns the flags of the default verb. */
function ownFlags(noun: Noun | undefined, word: string | undefined): string[] {
  const verb =
    noun?.verbs.find(({ name }) => name === word) ?? noun?.verbs.find(({ name }) => name === noun.alone);
  return Object.values(verb?.flags ?? {}).map(({ written }) => written.replace(/ .*/, ''));
}

function rootHelp(topics: readonly LazyNoun[]): HelpText {
  return {
    examples: [
      { says: 'Try the tool without an account', line: 'cryptodata sandbox exec -- cryptodata ledgers' },
      { says: 'Log in with the browser', line: 'cryptodata login' },
      { says: 'Export a year', line: 'cryptodata ledgers export --period 2025 --out 2025.csv' },
      { says: 'Find negative balances', line: 'cryptodata ledgers negative --exit-code' },
      {
        says: 'Use jq to count legs with a negative balance',
        line: 'cryptodata ledgers list --lt-after-balance 0 --all --json | jq length',
      },
    ],
    end: [
      {
        heading: 'Topics (cryptodata help TOPIC):',
        items: topics.map(({ name, summary }) => [name, summary]),
      },
      { heading: '', lines: ['Every command has its own --help with examples, output and exit codes.'] },
    ],
  };
}

async function checkHelp(name: string | undefined, { tree, topics }: ProgramOptions): Promise<void> {
  const commands = tree.map((lazy) => lazy.name);
  const all = [...commands, ...topics.map((lazy) => lazy.name)];
  if (name === undefined || name === 'help' || all.includes(name)) return;
  const near = nearest(name, all);
  const { MEANT } = await import('./suggestions.ts');
  const meant = MEANT.get(name);
  throw usageError(
    `Unknown command or topic "${name}"`,
    meant
      ? `Did you mean "${meant.replace(' events', ' help events')}"?`
      : near
        ? `Did you mean "cryptodata help ${near}"?`
        : `The topics are ${topics.map((topic) => topic.name).join(', ')}. List the commands with: cryptodata --help`,
    'UNKNOWN_TOPIC',
  );
}

function helpWords(
  argv: readonly string[],
  operands: readonly string[],
  topics: readonly LazyNoun[],
): string[] {
  const words = argv.toSpliced(argv.indexOf('help'), 1);
  return topics.some((topic) => topic.name === operands[1]) ? words : [...words, '--help'];
}

function stub(lazy: LazyNoun): Command {
  return new Command(lazy.name).summary(lazy.summary).description(lazy.summary);
}

function toCommand(noun: Noun, execute: Execute): Command {
  const [first] = noun.verbs;
  if (first && noun.verbs.length === 1 && first.name === noun.name) return fill(first, noun, execute);
  const command = setHelp(new Command(noun.name), nounHelp(noun));
  command.summary(noun.summary).description(`${noun.summary}.`);
  command.helpCommand(false);
  for (const verb of noun.verbs) {
    command.addCommand(fill(verb, noun, execute), {
      isDefault: verb.name === noun.alone,
    });
  }
  return command;
}

function fill(verb: AnyVerb, { name, lenient, anyProfile, sends }: Noun, execute: Execute): Command {
  const words = verb.name === name ? name : `${name} ${verb.name}`;
  const asked: Asked = {
    words,
    reads: verb.reads === true,
    sends,
    json: verb.output !== undefined,
    lenient,
    anyProfile: verb.anyProfile ?? anyProfile,
    operands: verb.operands,
  };
  return setHelp(
    verb.build((run) => execute(run, asked)),
    verbHelp(verb),
  )
    .summary(verb.summary)
    .description(`${verb.summary}.`)
    .allowExcessArguments(false)
    .usage(usageOf(verb));
}

function usageOf(verb: AnyVerb): string {
  const operands = (verb.operands ?? []).map((operand) => operand.written);
  return [Object.keys(verb.flags).length > 0 ? '[options]' : '', ...operands].filter(Boolean).join(' ');
}

/** Configures a command and its subcommands, because added subcommands do not inherit these settings. */
function prepare(command: Command, options: ProgramOptions, onError: (command: Command) => void): void {
  command
    .exitOverride((error) => {
      onError(command);
      throw error;
    })
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: options.write.out,
      writeErr: options.write.err,
      // `main` reports the error once, in the requested format.
      outputError: () => {},
      getOutHelpWidth: () => options.width ?? WIDEST,
      getErrHelpWidth: () => options.width ?? WIDEST,
    })
    .configureHelp({ helpWidth: Math.min(options.width ?? WIDEST, WIDEST), formatHelp, optionDescription });
  for (const child of command.commands) prepare(child, options, onError);
}
