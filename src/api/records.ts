import { isJsonNumber, isRecord, type JsonNumber } from '../core/json.ts';

/** A JSON Schema (2020-12). */
export type Schema = Readonly<Record<string, unknown>>;

/** The type of a field. Only fields declared with {@link required} must be present. */
export interface Field<V = unknown> {
  readonly is: (value: unknown) => value is V;
  /** The JSON Schema of the type, for programs that read the output. */
  readonly schema: Schema;
  readonly required?: boolean;
  /** Paths of the known subfields. Each subfield is a column. */
  readonly parts?: readonly string[];
}

/** The known fields of a record, in the order of the specification. */
export type Fields = Readonly<Record<string, Field>>;

export type ValueOf<F> = F extends Field<infer V> ? V : never;
type RequiredName<F extends Fields> = {
  [K in keyof F]: F[K] extends { readonly required: true } ? K : never;
}[keyof F];

type Values<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> };
/** Makes editors show an intersection type as one object type. */
type Flat<T> = { [K in keyof T]: T[K] };

/** A record with the fields in the specification. To read a field that is not in the specification, use {@link field}. */
export type RecordOf<F extends Fields> = Flat<
  Pick<Values<F>, RequiredName<F>> & Partial<Omit<Values<F>, RequiredName<F>>>
>;

/**
 * Reads any field of a record, even a field that the specification does not list.
 *
 * @returns undefined if the field does not exist, or if `record` is not an object
 */
export function field(record: unknown, name: string): unknown {
  return isRecord(record) && Object.hasOwn(record, name) ? record[name] : undefined;
}

/**
 * The TypeScript type of a value that the specification does not list, such as a new status. At run time, the value can be any
 * string. If code compares the value with an unlisted literal, TypeScript reports an error, because such a literal is usually a
 * misspelling. To compare anyway, write `String(value) === 'new'`.
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
  is: isJsonNumber,
  schema: { type: 'number' },
};
export const anything: Field = { is: (_value): _value is unknown => true, schema: {} };

export function word<const T extends string>(...words: readonly T[]): Field<T> {
  return {
    is: (value): value is T => words.some((one) => one === value),
    schema: { enum: words },
  };
}

/** Accepts any string, because the service may add words to the list. An unlisted word has the type `Unlisted`. */
export function open<const T extends string>(..._words: readonly T[]): Field<T | Unlisted> {
  return { is: (value): value is T | Unlisted => typeof value === 'string', schema: { type: 'string' } };
}

type First<Path extends string> = Path extends `${infer Name}.${string}` ? Name : Path;

/** Accepts any object, and does not check its fields. `names` lists the paths of the known fields. */
export function parts<const T extends string = never>(
  ...names: readonly T[]
): Field<{ readonly [K in First<T>]?: unknown }> {
  const properties = Object.fromEntries(names.map((name) => [name, {}]));
  return { is: isRecord, schema: { type: 'object', properties }, parts: names };
}

/** Accepts an object, and checks its known fields. */
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

/** Accepts an object if every value in it has the type of `field`. `names` restricts the keys only in the TypeScript type. */
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

/** Returns the JSON Schema of a record. The schema allows unknown fields. */
export function schemaOf(fields: Fields): Schema {
  const names = Object.keys(fields).filter((name) => fields[name]?.required);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
    ...(names.length === 0 ? {} : { required: names }),
  };
}

/** Returns the name of the first field that is missing or has the wrong type. Returns `''` if `value` is not a record. */
export function oddField(value: unknown, fields: Fields): string | undefined {
  if (!isRecord(value)) return '';
  for (const name in fields) {
    const field = fields[name];
    const held = value[name];
    if (field && (held === undefined ? field.required : !field.is(held))) return name;
  }
  return undefined;
}

/** Returns the paths of all known fields, including nested fields. */
export function pathsOf(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, { parts }]) =>
    parts === undefined || parts.length === 0 ? name : parts.map((part) => `${name}.${part}`),
  );
}
