import { EXIT_MEANINGS } from '../exits.ts';
import type { AnyVerb } from './define.ts';

/** What stands below the options in a command's help: what it prints, examples, exit codes. */
export function verbHelp(verb: AnyVerb): string {
  const codes = verb.exits.map((code) => `  ${String(code).padEnd(4)} ${EXIT_MEANINGS.get(code) ?? ''}`);
  const examples = verb.examples.map(({ says, line }) => `  # ${says}\n  ${line}`);
  return [
    GLOBALS,
    `Prints:\n${indent(verb.prints)}`,
    `Examples:\n${examples.join('\n\n')}`,
    `Exit codes:\n${codes.join('\n')}`,
  ].join('\n\n');
}

const GLOBALS = `Options of every command (see cryptodata --help):
  -p NAME, -o table|json|jsonl|csv (--json, --jsonl, --csv), --tz ZONE, --quiet, --debug`;

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
