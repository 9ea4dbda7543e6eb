import { isExactNumber, isRecord, type LosslessNumber } from '../core/json.ts';

/** A number from the service; a {@link LosslessNumber} if a double cannot represent it. */
export type JsonNumber = number | LosslessNumber;

/** A JSON Schema (2020-12). */
export type Schema = Readonly<Record<string, unknown>>;

/** The type of a field. A field may be absent unless it is {@link required}. */
export interface Field<V = unknown> {
  readonly is: (value: unknown) => value is V;
  /** The JSON Schema of the type, for programs that read the output. */
  readonly schema: Schema;
  readonly required?: boolean;
  /** Paths of the known subfields, each of which is a column. */
  readonly parts?: readonly string[];
}

/** The known fields of a record, in the order of the specification. */
export type Fields = Readonly<Record<string, Field>>;

type ValueOf<F> = F extends Field<infer V> ? V : never;
type RequiredName<F extends Fields> = {
  [K in keyof F]: F[K] extends { readonly required: true } ? K : never;
}[keyof F];

type Values<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> };
/** Makes editors show an intersection as one object. */
type Flat<T> = { [K in keyof T]: T[K] };

/** A record with its specified fields. Unknown fields are kept; {@link field} reads them. */
export type RecordOf<F extends Fields> = Flat<
  Pick<Values<F>, RequiredName<F>> & Partial<Omit<Values<F>, RequiredName<F>>>
>;

/**
 * Reads any field of a record. The record types have only the fields in the specification.
 *
 * @returns undefined if there is no such field, or `record` is not an object
 */
export function field(record: unknown, name: string): unknown {
  return isRecord(record) && Object.hasOwn(record, name) ? record[name] : undefined;
}

/**
 * The TypeScript type of a word that is not in the specification. At run time, such a word can be any string. Comparing such a
 * word with a literal is a type error, because the literal is usually a misspelt word of the specification. To compare the word
 * anyway, convert it: `String(word) === 'new'`.
 */
export type Unlisted = `(unlisted) ${string}`;

export const text: Field<string> = {
  is: (value) => typeof value === 'string',
  schema: { type: 'string' },
};
export const bool: Field<boolean> = {
  is: (value) => typeof value === 'boolean',
  schema: { type: 'boolean' },
};
/** A number of at most 15 digits, such as Unix milliseconds. */
export const int: Field<number> = {
  is: (value) => typeof value === 'number',
  schema: { type: 'number' },
};
export const number: Field<JsonNumber> = {
  is: (value): value is JsonNumber => typeof value === 'number' || isExactNumber(value),
  schema: { type: 'number' },
};
export const anything: Field = { is: (_value): _value is unknown => true, schema: {} };

/** One of a few words. */
export function word<const T extends string>(...words: readonly T[]): Field<T> {
  return {
    is: (value): value is T => words.some((one) => one === value),
    schema: { enum: words },
  };
}

/** Any string, because the service may add words. The type distinguishes the words in the specification from all other words. */
export function open<const T extends string>(..._words: readonly T[]): Field<T | Unlisted> {
  return { is: (value): value is T | Unlisted => typeof value === 'string', schema: { type: 'string' } };
}

type First<Path extends string> = Path extends `${infer Name}.${string}` ? Name : Path;

/** An object. `names` lists the paths of its known fields. The values of the fields are not checked. */
export function parts<const T extends string = never>(
  ...names: readonly T[]
): Field<{ readonly [K in First<T>]?: unknown }> {
  const properties = Object.fromEntries(names.map((name) => [name, {}]));
  return { is: isRecord, schema: { type: 'object', properties }, parts: names };
}

/** An object whose known fields are checked. */
export function object<F extends Fields>(fields: F): Field<RecordOf<F>> {
  return {
    is: (value): value is RecordOf<F> => oddField(value, fields) === undefined,
    schema: schemaOf(fields),
    parts: pathsOf(fields),
  };
}

export function required<V>(field: Field<V>): Field<V> & { readonly required: true } {
  return { ...field, required: true };
}

export function nullable<V>(field: Field<V>): Field<V | null> {
  return {
    ...field,
    is: (value): value is V | null => value === null || field.is(value),
    schema: nullableSchema(field.schema),
  };
}

function nullableSchema(schema: Schema): Schema {
  const { type, ...rest } = schema;
  if (typeof type === 'string') return { type: [type, 'null'], ...rest };
  return { anyOf: [schema, { type: 'null' }] };
}

export function arrayOf<V>(field: Field<V>): Field<readonly V[]> {
  return {
    is: (value): value is readonly V[] => Array.isArray(value) && value.every(field.is),
    schema: { type: 'array', items: field.schema },
  };
}

/** An object with values of one type. Without `names`, the object may have any keys. */
export function mapOf<V, const K extends string = string>(
  field: Field<V>,
  _names?: readonly K[],
): Field<MapOf<K, V>> {
  return {
    is: (value): value is MapOf<K, V> => isRecord(value) && Object.values(value).every(field.is),
    schema: { type: 'object', additionalProperties: field.schema },
  };
}

type MapOf<K extends string, V> = string extends K ? Readonly<Record<K, V>> : { readonly [Name in K]?: V };

/** The schema of a record. It allows unknown fields. */
export function schemaOf(fields: Fields): Schema {
  const names = Object.keys(fields).filter((name) => fields[name]?.required);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
    ...(names.length === 0 ? {} : { required: names }),
  };
}

/** The first field with a value of the wrong type; `''` if the value is not a record. */
export function oddField(value: unknown, fields: Fields): string | undefined {
  if (!isRecord(value)) return '';
  for (const name in fields) {
    const field = fields[name];
    const held = value[name];
    if (field && (held === undefined ? field.required : !field.is(held))) return name;
  }
  return undefined;
}

/** Paths of all known fields, including nested fields. */
export function pathsOf(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, { parts }]) =>
    parts === undefined || parts.length === 0 ? name : parts.map((part) => `${name}.${part}`),
  );
}
