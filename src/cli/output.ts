import { type Field, type Fields, type Schema, schemaOf } from '../api/records.ts';

/** One of the possible shapes of a command's JSON output. */
export interface OutputShape {
  /** With -o json, a `list` is printed as an array. */
  readonly kind: 'list' | 'record';
  /** Schema of each record. */
  readonly record: Schema;
  /** Schema of each line with -o jsonl, if it differs from `record`. */
  readonly line?: Schema;
  /**
   * The condition under which the output has this shape, such as `with --sum-by`. Present only if the command has several
   * shapes.
   */
  readonly when?: string;
}

export type Output = readonly OutputShape[];

export function listOf(record: Schema, when?: string): OutputShape {
  return { kind: 'list', record, ...(when === undefined ? {} : { when }) };
}

/**
 * One record.
 *
 * @param line schema of each line with -o jsonl, if a line is only a part of the record
 */
export function oneOf(record: Schema, { line, when }: { line?: Schema; when?: string } = {}): OutputShape {
  return {
    kind: 'record',
    record,
    ...(line === undefined ? {} : { line }),
    ...(when === undefined ? {} : { when }),
  };
}

/** A record from the service. The required fields are always present. Fields that are not in `fields` are allowed. */
export function served(fields: Fields): Schema {
  const isOpen = Object.keys(fields).length === 0;
  const description = isOpen
    ? 'as sent by the service; the specification does not list its fields'
    : 'as sent by the service; it may have other fields';
  return { description, ...schemaOf(fields) };
}

export function servedBody(description: string): Schema {
  return { description };
}

/** A record that the tool creates, with exactly these fields. Only {@link optional} fields may be missing. */
export function made(fields: Fields): Schema {
  const all = Object.entries(fields).map(([name, field]) => [name, { required: true, ...field }]);
  return { ...schemaOf(Object.fromEntries(all)), additionalProperties: false };
}

/** Makes one field optional in a record that {@link made} describes. */
export function optional<V>(field: Field<V>): Field<V> & { readonly required: false } {
  return { ...field, required: false };
}

/** A field whose value is a {@link made} record. */
export function part(fields: Fields): Field {
  return ofSchema(made(fields));
}

export function ofSchema(schema: Schema): Field {
  return { is: (_value): _value is unknown => true, schema };
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
