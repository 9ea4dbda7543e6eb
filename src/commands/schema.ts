import { type Schema, text } from '../api/records.ts';
import { sameColumns } from '../cli/common-flags.ts';
import { type LazyNoun, type NounVerbs, verb } from '../cli/define.ts';
import { type CommandEntry, entriesOf, findEntry, wordsOf } from '../cli/describe.ts';
import { toggle } from '../cli/flags.ts';
import { listOf, made, type Output, type OutputShape, oneOf } from '../cli/output.ts';
import { type CryptodataError, NotFoundError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';

/** @param tree the commands that can have a schema */
export function schemaNoun(tree: readonly LazyNoun[]): { readonly noun: NounVerbs } {
  const schema = verb({
    name: 'schema',
    summary: "Print the JSON Schema of a command's output",
    about: `The schema (draft 2020-12) describes the output with -o json. With --line, the schema describes one line of the output with -o jsonl. Records from the service may have fields that the schema does not list. Records that the tool creates have exactly the listed fields.

With --columns, the output has other fields, so the output does not match the schema.`,
    operands: [
      {
        written: '[command...]',
        describe: 'name of a command, such as "ledgers negative"; without a name, all commands are listed',
      },
    ],
    flags: { line: toggle('--line', 'schema of one line of the output with -o jsonl') },
    examples: {
      'Print the schema of the list of negative balances': 'cryptodata schema ledgers negative',
      'List the commands that have a schema': 'cryptodata schema',
    },
    prints:
      'Without a command: records { command, summary }.\nWith a command: its schema as JSON, regardless of -o.',
    output: [
      listOf(made({ command: text, summary: text }), 'without a command'),
      oneOf({ type: 'object', required: ['$schema', 'title'] }, { when: 'with a command' }),
    ],
    exits: [0, 2, 5],
    async run(_context, { line }, operands) {
      // A name may be quoted: schema "ledgers negative".
      const words = operands.flatMap((operand) => operand.split(/\s+/)).filter(Boolean);
      if (words.length === 0) {
        const rows = (await entriesOf(tree))
          .filter(({ verb }) => verb.output)
          .map((entry) => ({ command: wordsOf(entry), summary: entry.verb.summary }));
        return { kind: 'rows', rows, columns: sameColumns('command', 'summary') };
      }
      const entry = await findEntry(tree, words);
      if (!entry) throw await unknownCommand(tree, words.join(' '));
      const record = schemaOfEntry(entry, line === true);
      return { kind: 'text', text: JSON.stringify(record, null, 2), record };
    },
  });
  return { noun: { verbs: [schema], lenient: true } };
}

/** @throws NotFoundError `NO_SCHEMA` if the command has no JSON output */
export function schemaOfEntry(entry: CommandEntry, line: boolean) {
  const { output, reads, prints } = entry.verb;
  const words = wordsOf(entry);
  if (!output) {
    throw new NotFoundError('NO_SCHEMA', `"cryptodata ${words}" has no schema`, {
      hint: `The command prints: ${prints.split('\n')[0]}`,
    });
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `cryptodata ${words} -o ${line ? 'jsonl' : 'json'}`,
    description: prints,
    ...(line ? lineSchema : documentSchema)(output, reads === true),
  };
}

async function unknownCommand(tree: readonly LazyNoun[], words: string): Promise<CryptodataError> {
  const near = nearest(words, [...tree.map(({ name }) => name), ...(await entriesOf(tree)).map(wordsOf)]);
  const hint = near ? `Did you mean "${near}"?` : 'List the commands with: cryptodata schema';
  return new NotFoundError('UNKNOWN_COMMAND', `Unknown command ${JSON.stringify(words)}`, {
    hint,
  });
}

/** Returns the JSON Schema of the document that -o json prints. */
export function documentSchema(output: Output, several: boolean): Schema {
  return anyOf(output.flatMap((shape) => (several ? [shape, ofProfiles(shape)] : shape)).map(documentOf));
}

/** Returns the JSON Schema of each line that -o jsonl prints. */
export function lineSchema(output: Output, several: boolean): Schema {
  return anyOf(output.flatMap((shape) => (several ? [shape, ofProfiles(shape)] : shape)).map(lineOf));
}

function documentOf({ kind, record, when }: OutputShape): Schema {
  return describedBy(when, kind === 'list' ? { type: 'array', items: record } : record);
}

function lineOf({ record, line = record, when }: OutputShape): Schema {
  return describedBy(when, line);
}

function describedBy(when: string | undefined, schema: Schema): Schema {
  const parts = [when, schema['description']].filter((part) => part !== undefined);
  return parts.length === 0 ? schema : { ...schema, description: parts.join(': ') };
}

/** With several profiles, the result is one list, and `profile` is the first field of each record. */
function ofProfiles({ record, when, line }: OutputShape): OutputShape {
  const several = listOf(
    withProfile(record),
    `${when === undefined ? '' : `${when}, `}with several profiles`,
  );
  return line === undefined ? several : { ...several, line: withProfile(line) };
}

function withProfile(record: Schema): Schema {
  const { properties, required } = record;
  return {
    ...record,
    properties: { profile: { type: 'string' }, ...(properties as object) },
    required: ['profile', ...(Array.isArray(required) ? required : [])],
  };
}

function anyOf(schemas: readonly Schema[]): Schema {
  const [only, ...others] = schemas;
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas };
}
