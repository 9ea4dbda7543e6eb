import { EXIT_MEANINGS } from '../exits.ts';
import type { AnyVerb, Example, Noun } from './define.ts';

/** What stands below the options in a command's help: what it prints, examples, exit codes. */
export function verbHelp(verb: AnyVerb): string {
  const codes = verb.exits.map((code) => `  ${String(code).padEnd(4)} ${EXIT_MEANINGS.get(code) ?? ''}`);
  return [
    GLOBALS,
    `Prints:\n${indent(verb.reads ? `${verb.prints}\n${SEVERAL}` : verb.prints)}`,
    examplesHelp(verb.examples),
    `Exit codes:\n${codes.join('\n')}`,
  ].join('\n\n');
}

/** What stands below the commands in a noun's help: what it is alone, and the first example of each command. */
export function nounHelp({ name, verbs, alone }: Noun): string {
  const firsts = verbs.flatMap(({ examples }) => examples.slice(0, 1));
  const lone =
    alone === undefined
      ? []
      : [`"cryptodata ${name}" alone is "cryptodata ${name} ${alone}", and takes its options.`];
  return [
    ...lone,
    examplesHelp(firsts),
    `See "cryptodata ${name} COMMAND --help" for the options of each.`,
  ].join('\n\n');
}

function examplesHelp(examples: readonly Example[]): string {
  return `Examples:\n${examples.map(({ says, line }) => `  # ${says}\n  ${line}`).join('\n\n')}`;
}

const GLOBALS = `Options of every command (see cryptodata --help):
  -p NAME, -o table|json|jsonl|csv (--json, --jsonl, --csv), --tz ZONE, --quiet, --debug`;

const SEVERAL =
  'Over several profiles (-p a,b,c or --all-profiles): the same for each, as one list with "profile" first; one that\nfails stops no other, and the end is 11, or the code of all where all fail alike.';

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
