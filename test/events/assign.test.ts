import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CryptodataError } from '../../src/core/errors.ts';
import { LosslessNumber, stringifyJson } from '../../src/core/json.ts';
import { assign, parseAssignment, sample } from '../../src/events/sample.ts';
import { runs } from '../runs.ts';

const NOW = Date.UTC(2025, 6, 1, 12);
const made = (kind: string) => sample(kind, { now: NOW, unique: () => 'x' });
const set = (kind: string, ...given: string[]) => assign(made(kind), given.map(parseAssignment));

function refusal(work: () => unknown): CryptodataError {
  try {
    work();
  } catch (error) {
    if (error instanceof CryptodataError) return error;
    throw error;
  }
  throw new Error('no error');
}

describe('--set', () => {
  test('an assignment changes only the field in its path', () => {
    const before = made('integration.updated');
    const after = assign(before, [{ path: 'data.status', text: 'SYNCING' }]);
    expect(after).toEqual({ ...before, data: { ...Object(before['data']), status: 'SYNCING' } });
    expect(Object(before['data']).status).toBe('COMPLETED');
  });

  test('parses values of number and boolean fields as JSON, and keeps text fields unchanged', () => {
    const { data } = set(
      'integration.updated',
      'data.alias=1.50',
      'data.provider=true',
      'data.totalTransactions=12345678901234567890',
      'data.isContract=true',
      'data.publicAddress=',
    );
    expect(data).toMatchObject({ alias: '1.50', provider: 'true', isContract: true, publicAddress: '' });
    expect(Object(data).totalTransactions).toEqual(new LosslessNumber('12345678901234567890'));
  });

  test('can set a nullable field to null or to text', () => {
    expect(set('costbasis.failed', 'workspace_id=null', 'data.reason=null')).toMatchObject({
      workspace_id: null,
      data: { reason: null },
    });
    expect(set('costbasis.completed', 'data.reason=out of memory')).toMatchObject({
      data: { reason: 'out of memory' },
    });
    // `alias` is not nullable, so null is ordinary text here.
    expect(set('integration.created', 'data.alias=null')).toMatchObject({ data: { alias: 'null' } });
  });

  test('can set an optional field that is not in the sample', () => {
    expect(set('integration.updated', 'data.errorMessage=no')).toMatchObject({
      data: { errorMessage: 'no' },
    });
    expect(refusal(() => set('costbasis.failed', 'data.errorMessage=no')).code).toBe('UNKNOWN_PATH');
  });

  test.each([
    ['data.statuss=X', 'Did you mean data.status?'],
    ['status=X', 'Did you mean data.status?'],
    ['data.total_transactions=1', 'Did you mean data.totalTransactions?'],
    ['grantId=x', 'Did you mean grant_id?'],
    ['data.timestamp=1', 'Did you mean timestamp?'],
    ['data=1', 'Set a field of the object (data.provider, '],
    ['data.status.x=1', 'Did you mean data.status?'],
    ['constructor=1', 'Its fields are id, event, timestamp, '],
    ['__proto__.x=1', 'Its fields are id, event, timestamp, '],
  ])('rejects the unknown path in %s and suggests valid fields', (given, hint) => {
    const error = refusal(() => set('integration.updated', given));
    expect([error.code, error.kind]).toEqual(['UNKNOWN_PATH', 'usage']);
    expect(error.hint).toContain(hint);
  });

  test('rejects text for a number field or a boolean field', () => {
    for (const given of ['data.addedOn=yesterday', 'data.isContract=yes', 'data.addedOn=']) {
      expect(refusal(() => set('integration.updated', given)).code).toBe('BAD_VALUE');
    }
  });

  test('cannot set a field whose name contains a dot', () => {
    const envelope = { event: 'x.y', data: { 'a.b': 1 } };
    const error = refusal(() => assign(envelope, [parseAssignment('data.a.b=2')]));
    expect(error.code).toBe('UNKNOWN_PATH');
  });

  test('splits an assignment at its first =, and rejects an assignment without a path or without =', () => {
    expect(parseAssignment('data.alias=a=b')).toEqual({ path: 'data.alias', text: 'a=b' });
    for (const given of ['data.alias', '=x', '']) {
      expect(refusal(() => parseAssignment(given)).kind).toBe('usage');
    }
  });

  test('stores any given text unchanged in a text field', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
        const text = String.fromCharCode(...units);
        const envelope = set('integration.failed', `data.errorMessage=${text}`);
        expect(JSON.parse(stringifyJson(envelope)).data.errorMessage).toBe(text);
      }),
      { numRuns: runs(40) },
    );
  });
});
