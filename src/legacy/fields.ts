import { isRecord } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { shown } from './problems.ts';
import { isMoment, isQuantity, isValue, type Place } from './values.ts';

export type Check = (value: unknown, place: Place) => void;

export interface Field {
  readonly required: boolean;
  readonly check: Check;
  /** The fields of the value, if the value is an object. */
  readonly fields?: Fields;
  readonly number?: true;
}
export type Fields = Readonly<Record<string, Field>>;

export const TYPES = ['deposit', 'withdrawal', 'trade', 'payment'] as const;

const text: Check = (value, place) => {
  if (typeof value !== 'string') place.wrong(place.path, `must be a string, not ${shown(value)}`);
};

/** Rejects leading and trailing spaces, because the spaces would become part of the name. */
const name: Check = (value, place) => {
  if (typeof value !== 'string') return text(value, place);
  if (value === '') place.wrong(place.path, 'is empty', 'Omit the field.');
  if (value.trim() !== value) place.wrong(place.path, `has leading or trailing spaces: ${shown(value)}`);
};

const SHORTENED = /^\d(\.\d+)?E\+\d+$/;

const id: Check = (value, place) => {
  name(value, place);
  if (typeof value === 'string' && SHORTENED.test(value)) {
    place.doubt(place.path, `${shown(value)} looks like a number that a spreadsheet shortened`);
  }
};

const upperCase: Check = (value, place) => {
  if (typeof value !== 'string' || value === '' || value.trim() !== value) return name(value, place);
  const upper = value.toUpperCase();
  if (value === upper) return;
  place.wrong(
    place.path,
    `must be the internal name in upper case, not ${shown(value)}`,
    `Did you mean ${shown(upper)}? The display name belongs in publicName.`,
  );
};

const type: Check = (value, place) => {
  if (TYPES.some((known) => known === value)) return;
  const near = typeof value === 'string' ? nearest(value, TYPES) : undefined;
  place.wrong(
    place.path,
    `must be one of ${TYPES.join(', ')}, not ${shown(value)}`,
    near === undefined ? undefined : `Did you mean ${near}?`,
  );
};

const quantity: Check = (value, place) => isQuantity(value, place);
const worth: Check = (value, place) => isValue(value, place);
const moment: Check = (value, place) => isMoment(value, place);

function required(check: Check): Field {
  return { required: true, check };
}
function optional(check: Check): Field {
  return { required: false, check };
}
function parts(fields: Fields, also?: (value: Record<string, unknown>, place: Place) => void): Field {
  const check: Check = (value, place) => {
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
const MONEY: Fields = { currency: required(name), amount: { ...required(quantity), number: true } };
const VALUE: Fields = {
  fiatValue: { ...required(worth), number: true },
  baseCurrency: required(name),
  priceAccuracy: required(name),
};
const PARTY: Fields = {
  name: optional(upperCase),
  publicName: optional(text),
  walletId: optional(name),
  address: optional(name),
};

function party(): Field {
  return parts(PARTY, (value, place) => {
    if ('walletId' in value && 'address' in value)
      place.doubt(place.path, 'has both a walletId and an address, but only one is expected');
  });
}

/** The fields of "Posted transaction", in the same order as in the specification. */
export const TRANSACTION: Fields = {
  timestamp: { ...required(moment), number: true },
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
export function checkFields(value: Record<string, unknown>, fields: Fields, place: Place): void {
  const below = (field: string) => (place.path === '' ? field : `${place.path}.${field}`);
  for (const [field, content] of Object.entries(value)) {
    const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (known) known.check(content, { ...place, path: below(field) });
    else place.wrong(below(field), 'is an unknown field', hintFor(field, Object.keys(fields)));
  }
  for (const [field, { required }] of Object.entries(fields)) {
    if (required && !Object.hasOwn(value, field)) place.wrong(below(field), 'is missing');
  }
}

export function hintFor(field: string, known: readonly string[]): string {
  const near = nearest(field, known);
  return near === undefined ? `Known fields: ${known.join(', ')}` : `Did you mean ${near}?`;
}

/** The columns of a CSV file. Each column is the path of a value, such as `sentCurrency.amount`. */
export const COLUMNS: ReadonlyMap<string, Field> = new Map(leaves(TRANSACTION, ''));

function leaves(fields: Fields, prefix: string): [string, Field][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field][] =>
    field.fields ? leaves(field.fields, `${prefix}${name}.`) : [[`${prefix}${name}`, field]],
  );
}
