import { isRecord } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { shown } from './problems.ts';
import { type FieldPlace, isQuantity, isValue } from './values.ts';

type FieldCheck = (value: unknown, place: FieldPlace) => void;

interface LegacyField {
  readonly required: boolean;
  readonly check: FieldCheck;
  /** The fields of the value, if the value is an object. */
  readonly fields?: LegacyFields;
  readonly number?: true;
}
export type LegacyFields = Readonly<Record<string, LegacyField>>;

const LEGACY_TYPES = ['deposit', 'withdrawal', 'trade', 'payment'] as const;

const text: FieldCheck = (value, place) => {
  if (typeof value !== 'string') place.wrong(place.path, `must be a string, not ${shown(value)}`);
};

/** Rejects leading and trailing spaces, because the spaces would become part of the name. */
const name: FieldCheck = (value, place) => {
  if (typeof value !== 'string') return text(value, place);
  if (value === '') place.wrong(place.path, 'is empty', 'Omit the field.');
  if (value.trim() !== value) place.wrong(place.path, `has leading or trailing spaces: ${shown(value)}`);
};

const SHORTENED = /^\d(\.\d+)?E\+\d+$/;

const id: FieldCheck = (value, place) => {
  name(value, place);
  if (typeof value === 'string' && SHORTENED.test(value)) {
    place.doubt(place.path, `${shown(value)} looks like a number that a spreadsheet shortened`);
  }
};

const upperCase: FieldCheck = (value, place) => {
  if (typeof value !== 'string' || value === '' || value.trim() !== value) return name(value, place);
  const upper = value.toUpperCase();
  if (value === upper) return;
  place.wrong(
    place.path,
    `must be the internal name in upper case, not ${shown(value)}`,
    `Did you mean ${shown(upper)}? The display name belongs in publicName.`,
  );
};

const type: FieldCheck = (value, place) => {
  if (LEGACY_TYPES.some((known) => known === value)) return;
  const near = typeof value === 'string' ? nearest(value, LEGACY_TYPES) : undefined;
  place.wrong(
    place.path,
    `must be one of ${LEGACY_TYPES.join(', ')}, not ${shown(value)}`,
    near === undefined ? undefined : `Did you mean ${near}?`,
  );
};

const quantity: FieldCheck = (value, place) => isQuantity(value, place);
const worth: FieldCheck = (value, place) => isValue(value, place);

function required(check: FieldCheck): LegacyField {
  return { required: true, check };
}
function optional(check: FieldCheck): LegacyField {
  return { required: false, check };
}
function parts(
  fields: LegacyFields,
  also?: (value: Record<string, unknown>, place: FieldPlace) => void,
): LegacyField {
  const check: FieldCheck = (value, place) => {
    if (!isRecord(value)) {
      const hint = value === null ? 'Omit the field.' : undefined;
      place.wrong(place.path, `must be an object, not ${shown(value)}`, hint);
      return;
    }
    if (Object.keys(value).length === 0) place.wrong(place.path, 'is empty', 'Omit the field.');
    else checkFields(value, fields, place);
    also?.(value, place);
  };
  return { required: false, check, fields };
}

// In the specification, names of optional fields end with a question mark, as in `onlyManual?`. Other fields are required.
const MONEY: LegacyFields = { currency: required(name), amount: { ...required(quantity), number: true } };
const VALUE: LegacyFields = {
  fiatValue: { ...required(worth), number: true },
  baseCurrency: required(name),
  priceAccuracy: required(name),
};
const PARTY: LegacyFields = {
  name: optional(upperCase),
  publicName: optional(text),
  walletId: optional(name),
  address: optional(name),
};

function party(): LegacyField {
  return parts(PARTY, (value, place) => {
    if ('walletId' in value && 'address' in value)
      place.doubt(place.path, 'has both a walletId and an address, but only one is expected');
  });
}

/** The fields of "Posted transaction", in the same order as in the specification. */
export const TRANSACTION: LegacyFields = {
  // Times are checked when they are read (`times.ts`).
  timestamp: required(() => {}),
  transactionType: required(type),
  transactionId: required(id),
  description: parts({ title: required(text), desc: required(text) }),
  sentCurrency: parts(MONEY),
  receivedCurrency: parts(MONEY),
  fee: parts(MONEY),
  feeValue: parts(VALUE),
  netValue: parts(VALUE),
  sender: party(),
  receiver: party(),
  label: optional(name),
};

/** Checks the values of known fields. Reports missing and unknown fields. */
export function checkFields(value: Record<string, unknown>, fields: LegacyFields, place: FieldPlace): void {
  const below = (field: string) => (place.path === '' ? field : `${place.path}.${field}`);
  for (const [field, content] of Object.entries(value)) {
    const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (known) known.check(content, { ...place, path: below(field) });
    else place.wrong(below(field), 'is an unknown field', fieldHint(field, Object.keys(fields)));
  }
  for (const [field, { required }] of Object.entries(fields)) {
    if (required && !Object.hasOwn(value, field)) place.wrong(below(field), 'is missing');
  }
}

export function fieldHint(field: string, known: readonly string[]): string {
  const near = nearest(field, known);
  return near === undefined ? `Known fields: ${known.join(', ')}` : `Did you mean ${near}?`;
}

/** The columns of a CSV file. Each column is the path of a value, such as `sentCurrency.amount`. */
export const COLUMNS: ReadonlyMap<string, LegacyField> = new Map(leaves(TRANSACTION, ''));

function leaves(fields: LegacyFields, prefix: string): [string, LegacyField][] {
  return Object.entries(fields).flatMap(([name, field]): [string, LegacyField][] =>
    field.fields ? leaves(field.fields, `${prefix}${name}.`) : [[`${prefix}${name}`, field]],
  );
}
