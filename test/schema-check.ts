// Checks the JSON output of every command that a test runs. The output must follow the schema that `cryptodata schema` prints.

import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { findEntry, wordsOf } from '../src/cli/describe.ts';
import { schemaOfEntry } from '../src/commands/schema.ts';
import { TREE } from '../src/commands/tree.ts';

const validator = new AjvJsonSchemaValidator();
const checks = new Map<string, (value: unknown) => string | undefined>();

export interface Printed {
  readonly args: readonly string[];
  readonly stdout: string;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Addresses of test services whose records need not follow the specification. These records are not compared with the schemas.
 */
export const unspecified = new Set<string | undefined>();

/** @throws an Error if the output does not follow the schema */
export async function holdToSchema({ args, stdout, env = {} }: Printed): Promise<void> {
  const kind = formatOf(args) ?? env['CRYPTODATA_OUTPUT'];
  if ((kind !== 'json' && kind !== 'jsonl') || stdout === '') return;
  // Help is not JSON, and with --columns the output lacks the fields that are not selected.
  if (args.some((word) => /^(--help|-h|--version|-V|--columns(=.*)?)$/.test(word))) return;
  const at = args.findIndex((word) => isNoun(word));
  if (at < 0) return;
  const noun = args[at] ?? '';
  const entry = (await findEntry(TREE, [noun, args[at + 1] ?? ''])) ?? (await findEntry(TREE, [noun]));
  const output = entry?.verb.output;
  if (!entry || !output) return;
  const isServed = output.some(({ record }) => record['additionalProperties'] !== false);
  if (isServed && Object.values(env).some((value) => unspecified.has(value))) return;
  const words = wordsOf(entry);
  const check = checkOf(`${words} ${kind}`, () => schemaOfEntry(entry, kind === 'jsonl'));
  const documents = kind === 'jsonl' ? stdout.trimEnd().split('\n') : [stdout];
  for (const document of documents) {
    const value = parsed(document);
    if (value === undefined) return;
    const wrong = check(value);
    if (wrong !== undefined) {
      throw new Error(
        `The output of "cryptodata ${args.join(' ')}" does not follow its schema: ${wrong}\n${document.slice(0, 1000)}`,
      );
    }
  }
}

function isNoun(word: string): boolean {
  return TREE.some(({ name }) => name === word);
}

function formatOf(args: readonly string[]): string | undefined {
  const [short] = args.flatMap((word) => /^--(jsonl?|csv|table)$/.exec(word)?.[1] ?? []);
  const at = args.findIndex((word) => word === '-o' || word === '--output');
  const attached = args.flatMap((word) => /^(?:-o|--output=)(.+)$/.exec(word)?.[1] ?? []);
  return short ?? (at < 0 ? attached[0] : args[at + 1]);
}

/** Returns undefined if the JSON is incomplete, because a failed command may have printed only part of its result. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checkOf(key: string, schema: () => unknown) {
  const known = checks.get(key);
  if (known) return known;
  const validate = validator.getValidator(schema() as never);
  const check = (value: unknown) => {
    const { valid, errorMessage } = validate(value);
    return valid ? undefined : (errorMessage ?? 'unknown reason');
  };
  checks.set(key, check);
  return check;
}
