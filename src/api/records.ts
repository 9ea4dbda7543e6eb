import { isExactNumber, isRecord, type JsonRecord, type LosslessNumber } from '../core/json.ts';

/** A number from the service; a {@link LosslessNumber} if a double cannot represent it. */
export type JsonNumber = number | LosslessNumber;

/** The type of a field. A field may be absent unless it is {@link required}. */
export interface Field<V = unknown> {
  readonly is: (value: unknown) => value is V;
  readonly required?: boolean;
  /** Paths of its known parts, each of which is a column. */
  readonly parts?: readonly string[];
}

/** The known fields of a record, in the order of the specification. */
export type Fields = Readonly<Record<string, Field>>;

type ValueOf<F> = F extends Field<infer V> ? V : never;
type RequiredName<F extends Fields> = {
  [K in keyof F]: F[K] extends { readonly required: true } ? K : never;
}[keyof F];

/** A record with known fields. Unknown fields are kept, as `unknown`. */
export type RecordOf<F extends Fields> = { readonly [K in keyof F]?: ValueOf<F[K]> } & {
  readonly [K in RequiredName<F>]: ValueOf<F[K]>;
} & JsonRecord;

export const text: Field<string> = { is: (value) => typeof value === 'string' };
export const bool: Field<boolean> = { is: (value) => typeof value === 'boolean' };
/** A number of at most 15 digits, such as Unix milliseconds. */
export const int: Field<number> = { is: (value) => typeof value === 'number' };
export const number: Field<JsonNumber> = {
  is: (value): value is JsonNumber => typeof value === 'number' || isExactNumber(value),
};
export const anything: Field = { is: (_value): _value is unknown => true };

/** An object. `names` are its known fields; their values are not checked. */
export function parts(...names: readonly string[]): Field<JsonRecord> {
  return { is: isRecord, parts: names };
}

/** An object whose known fields are checked. */
export function object<F extends Fields>(fields: F): Field<RecordOf<F>> {
  return {
    is: (value): value is RecordOf<F> => oddField(value, fields) === undefined,
    parts: pathsOf(fields),
  };
}

export function required<V>(field: Field<V>): Field<V> & { readonly required: true } {
  return { ...field, required: true };
}

export function nullable<V>(field: Field<V>): Field<V | null> {
  return { ...field, is: (value): value is V | null => value === null || field.is(value) };
}

export function arrayOf<V>(field: Field<V>): Field<readonly V[]> {
  return { is: (value): value is readonly V[] => Array.isArray(value) && value.every(field.is) };
}

export function mapOf<V>(field: Field<V>): Field<Readonly<Record<string, V>>> {
  return {
    is: (value): value is Readonly<Record<string, V>> =>
      isRecord(value) && Object.values(value).every(field.is),
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

/** Paths of all known fields, including the fields of objects. */
export function pathsOf(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, { parts }]) =>
    parts === undefined || parts.length === 0 ? name : parts.map((part) => `${name}.${part}`),
  );
}
