import { type Fields, oddField, type RecordOf } from '../api/records.ts';
import { type ServiceError, UpstreamError } from '../core/errors.ts';
import { isRecord } from '../core/json.ts';
import { visible } from './text.ts';

/**
 * Checks the declared fields of a record. Returns the record unchanged, including undeclared fields.
 *
 * @throws ServiceError `BAD_RECORD`; the message contains the invalid field
 */
export function checkRecord<F extends Fields>(value: unknown, noun: string, fields: F): RecordOf<F> {
  if (isRecordOf(value, fields)) return value;
  if (!isRecord(value)) throw badRecord(noun, undefined, 'is not an object', value);
  const name = oddField(value, fields) ?? '';
  throw badRecord(noun, value['id'], `has an unexpected ${name}`, value[name]);
}

function isRecordOf<F extends Fields>(value: unknown, fields: F): value is RecordOf<F> {
  return oddField(value, fields) === undefined;
}

function badRecord(noun: string, id: unknown, what: string, value: unknown): ServiceError {
  const which = typeof id === 'string' ? ` ${JSON.stringify(visible(id, 100))}` : '';
  const held = value === undefined ? 'the field is missing' : visible(String(JSON.stringify(value)), 100);
  return new UpstreamError('BAD_RECORD', `The ${noun}${which} ${what}: ${held}`, {
    hint: 'To skip this check, use asServed() for a list, or getAsServed(id) for one record.',
  });
}
