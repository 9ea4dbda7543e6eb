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
