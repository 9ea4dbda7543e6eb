import { describe, expect, test } from 'vitest';
import {
  type FileRow,
  judgeAudit,
  judgeCommand,
  judgeExport,
  judgeList,
  judgeMirror,
  judgeNegative,
  judgeTransactions,
  judgeVerify,
  type Kind,
  type MirrorClaim,
  type Ran,
  REFUTATIONS,
  type Refutation,
  type Selection,
} from './judge.ts';
import { type Leg, type Legs, legText, type Served, type State, transactions } from './service.ts';

const DAY = 86_400_000;
const leg = (id: string, parts: Partial<Leg> = {}): Leg => ({
  ...{ id, made: 1, timestamp: DAY, transactionId: `txn_${id}`, type: 'incoming', assetId: 'ast_btc' },
  ...{ quantity: '1.5', price: 1.5, walletId: 'wal_1', afterBalance: 1, description: '' },
  ...parts,
});
const legsOf = (...legs: Leg[]): Legs => new Map(legs.map((own) => [own.id, own]));
const A = leg('a');
const B = leg('b', { timestamp: 2 * DAY });
const C = leg('c', { timestamp: 3 * DAY });
const LATE = leg('late', { timestamp: 9 * DAY });
const EDITED = leg('a', { description: 'edited' });
const NEGATIVE = leg('n', { afterBalance: -1 });
const UNKNOWN = leg('u', { afterBalance: null });

const ALL: Selection = { asked: {}, filters: {} };
const FEBRUARY: Selection = { asked: { from: 0, to: 9 * DAY }, filters: {} };

/** The states of a service that changes before each request except the first. */
const states = (...all: Legs[]): State[] => all.map((legs, at) => ({ from: at, at: at * 1000, legs }));

const page = (number: number, path: string, query: string, parts: Partial<Served> = {}): Served => ({
  ...{ number, path, query: new URLSearchParams(query), rows: [], total: undefined, hasMore: undefined },
  size: 200,
  ...parts,
});
const total = (number: number) =>
  page(number, '/v1/ledgers', 'startTime=1&endTime=2&sortBy=timestamp&sortOrder=asc&offset=0&limit=1');
const rowsOf = (legs: Legs) => [...legs.values()].map((own) => ({ id: own.id, text: legText(own) }));

const ran = (parts: Partial<Ran>): Ran => ({
  ...{ args: [], exit: 0, stdout: '', stderr: '', ended: true, requests: 3, served: [total(9)] },
  states: states(legsOf(A, B)),
  ...parts,
});

const factsOf = (own: Leg) => `${own.timestamp} ${own.description}`;
const file = (...legs: Leg[]) => ({
  verified: true,
  rows: legs.map((own): FileRow => ({ id: own.id, facts: factsOf(own) })),
});
const txnRows = (...legs: Leg[]): FileRow[] =>
  transactions(legsOf(...legs)).map(({ id, text }) => ({ id, facts: text }));
const read = (number: number, ...legs: Leg[]) =>
  page(number, '/v1/transactions', 'offset=0', { rows: transactions(legsOf(...legs)) });

const mirror = (parts: Partial<MirrorClaim> & { readonly legs: readonly Leg[]; readonly at?: number }) => ({
  ...{ verified: true, before: new Set<string>(), transactions: undefined },
  windows: [{ contentsVerifiedAt: parts.at, legs: new Map(parts.legs.map((own) => [own.id, legText(own)])) }],
  ...parts,
});
const txnMap = (...legs: Leg[]) => ({
  verified: true,
  rows: new Map(transactions(legsOf(...legs)).map(({ id, text }) => [id, text])),
});

const exportOf = (parts: Partial<Ran>, claim: ReturnType<typeof file>, selection = ALL) =>
  judgeExport(ran(parts), selection, claim, factsOf);
const txnsOf = (parts: Partial<Ran>, rows: readonly FileRow[], verified = true) =>
  judgeTransactions(ran(parts), {}, {}, { verified, rows });
const verifyOf = (parts: Partial<Ran>, claim: ReturnType<typeof file>, deep = false) =>
  judgeVerify(ran(parts), FEBRUARY, { ...claim, deep }, factsOf);
const mirrorOf = (parts: Partial<Ran>, claim: MirrorClaim) => {
  const own = ran(parts);
  return judgeMirror(own, claim, own.states);
};
const negativeRead = (...legs: Leg[]) =>
  page(1, '/v1/ledgers', 'ltAfterBalance=0', { rows: rowsOf(legsOf(...legs)) });
const negativeOf = (parts: Partial<Ran>, episodes: readonly { readonly legs: number }[]) =>
  judgeNegative(ran(parts), ALL, episodes, { totalsAreTrue: true });
const auditOf = (parts: Partial<Ran>, legs: number, remarks = '') =>
  judgeAudit(ran(parts), ALL, { verified: true, legs, remarks });
const audited = (...more: Served[]) => [
  page(1, '/v1/ledgers', '', { rows: rowsOf(legsOf(A, B)) }),
  ...more,
  total(9),
];
const listOf = (
  parts: Partial<Ran>,
  filters: Readonly<Record<string, string>>,
  ids: readonly string[],
  showsAll = false,
) => judgeList(ran(parts), '/v1/ledgers', filters, ids, {}, showsAll);

/** For each kind of refutation: wrong claims that the judge must refute with this kind, and similar claims that are right. */
const CLAIMS: Readonly<
  Record<Kind, { readonly wrong: readonly Refutation[][]; readonly right: readonly Refutation[][] }>
> = {
  'exit 1': { wrong: [judgeCommand(ran({ exit: 1 }))], right: [judgeCommand(ran({ exit: 12 }))] },
  endless: { wrong: [judgeCommand(ran({ ended: false }))], right: [judgeCommand(ran({}))] },
  'too many requests': {
    wrong: [
      judgeCommand(ran({ requests: 41, served: [] })),
      judgeCommand(
        ran({ requests: 43, served: [page(0, '/v1/ledgers', '', { rows: rowsOf(legsOf(A, B)), size: 1 })] }),
      ),
    ],
    right: [
      judgeCommand(ran({ requests: 40, served: [] })),
      judgeCommand(
        ran({ requests: 42, served: [page(0, '/v1/ledgers', '', { rows: rowsOf(legsOf(A, B)), size: 1 })] }),
      ),
    ],
  },
  'export: a row is missing': {
    wrong: [
      exportOf({}, file(A)),
      // Leg A or B was added before the last total: in a period without an end, or after the last leg of a past period.
      exportOf({ states: states(legsOf(B), legsOf(A, B)) }, file(B)),
      exportOf({ states: states(legsOf(A), legsOf(A, B)) }, file(A), FEBRUARY),
    ],
    right: [
      exportOf({}, file(A, B)),
      // A leg was added after the last total.
      exportOf({ states: states(legsOf(B), legsOf(A, B)), served: [total(0)] }, file(B)),
      // A leg was added after the last leg of the first state, in a period without an end.
      exportOf({ states: states(legsOf(A), legsOf(A, LATE)) }, file(A)),
      // A leg was deleted or moved during the run.
      exportOf({ states: states(legsOf(A, B), legsOf(A)) }, file(A)),
      exportOf({ states: states(legsOf(A, B), legsOf(leg('b'), A)) }, file(A)),
    ],
  },
  'export: a row does not belong to the request': {
    wrong: [
      exportOf({}, file(A, B, C)),
      exportOf({}, file(A, B), { asked: { to: DAY }, filters: {} }),
      exportOf({}, file(A, B), { asked: {}, filters: { types: 'fee' } }),
      exportOf({ stderr: 'Filters not verified: types.' }, file(A, B), {
        asked: {},
        filters: { types: 'fee' },
      }),
      exportOf({}, file(A, B), { asked: {}, filters: { providers: 'ledger' } }),
    ],
    right: [
      exportOf({ states: states(legsOf(A, B, C), legsOf(A, B)) }, file(A, B, C)),
      exportOf({ stderr: 'Filters not verified: providers.' }, file(A, B), {
        asked: {},
        filters: { providers: 'ledger' },
      }),
    ],
  },
  'export: a row occurs twice': { wrong: [exportOf({}, file(A, A, B))], right: [exportOf({}, file(A, B))] },
  'export: a row never had these contents': {
    wrong: [exportOf({}, file(EDITED, B))],
    right: [exportOf({ states: states(legsOf(A, B), legsOf(EDITED, B)) }, file(A, B))],
  },
  'export: exit 0 without verification': {
    wrong: [exportOf({ exit: 0 }, { ...file(A), verified: false })],
    right: [exportOf({ exit: 12 }, { ...file(A), verified: false })],
  },
  'txns export: a row differs between the reads': {
    wrong: [
      txnsOf(
        { served: [read(0, A, B), read(1, EDITED, B)], states: states(legsOf(A, B), legsOf(EDITED, B)) },
        txnRows(A, B),
      ),
    ],
    right: [
      txnsOf({ served: [read(0, A, B), read(1, A, B)] }, txnRows(A, B)),
      txnsOf({ served: [read(0, A, B), read(1, EDITED, B)] }, txnRows(A, B), false),
    ],
  },
  'txns export: a row is missing': {
    wrong: [txnsOf({ served: [read(0, A), read(1, A)] }, txnRows(A))],
    right: [txnsOf({ states: states(legsOf(A), legsOf(A, B)) }, txnRows(A))],
  },
  'txns export: a row occurs twice or does not belong to the request': {
    wrong: [txnsOf({}, [...txnRows(A, B), ...txnRows(A)]), txnsOf({}, txnRows(A, B, C))],
    right: [txnsOf({}, txnRows(A, B))],
  },
  'verify: exit 0 for an unverified export': {
    wrong: [verifyOf({}, { ...file(A, B), verified: false })],
    right: [verifyOf({ exit: 12 }, { ...file(A, B), verified: false })],
  },
  'verify: the number of legs differs': {
    wrong: [
      verifyOf({ stderr: 'the same number of legs' }, file(A)),
      verifyOf({ states: states(legsOf(A)) }, file(A, B)),
    ],
    right: [
      verifyOf({}, file(A, B)),
      verifyOf({ exit: 12 }, file(A)),
      verifyOf({ states: states(legsOf(A, B, leg('later', { timestamp: 10 * DAY }))) }, file(A, B)),
      verifyOf({ states: states(legsOf(A, B), legsOf(A, B, C)) }, file(A, B)),
    ],
  },
  'verify: the legs differ': {
    wrong: [verifyOf({ stderr: 'No leg was added or removed' }, file(A, C))],
    right: [verifyOf({ stderr: 'The service has the same number of legs' }, file(A, C))],
  },
  'verify: the contents differ': {
    wrong: [
      verifyOf({}, file(EDITED, B), true),
      verifyOf({}, file(A), true),
      verifyOf({ stderr: 'the same number of legs' }, file(A, C), true),
    ],
    right: [
      verifyOf({}, file(A, B), true),
      verifyOf({ states: states(legsOf(A, B), legsOf(EDITED, B)) }, file(EDITED, B), true),
    ],
  },
  'mirror: the number of legs differs': {
    wrong: [mirrorOf({}, mirror({ legs: [A] })), mirrorOf({}, mirror({ legs: [A, B, C] }))],
    right: [mirrorOf({}, mirror({ legs: [A, B] })), mirrorOf({}, mirror({ legs: [A], verified: false }))],
  },
  'mirror: legs were added or removed': {
    wrong: [
      mirrorOf({ stderr: 'No leg was added, removed or changed.' }, mirror({ legs: [A, C] })),
      mirrorOf({ stderr: '1 leg was added, 0 removed, 0 changed.' }, mirror({ legs: [A, C] })),
    ],
    right: [
      mirrorOf({ stderr: 'No leg was added, removed or changed.' }, mirror({ legs: [A, B] })),
      mirrorOf({ stderr: "The number of legs equals the service's total." }, mirror({ legs: [A, C] })),
    ],
  },
  'mirror: contents are older than claimed': {
    wrong: [
      mirrorOf(
        { states: states(legsOf(A, B), legsOf(EDITED, B), legsOf(EDITED, B, C)) },
        mirror({ legs: [A, B], at: 1500 }),
      ),
    ],
    right: [
      mirrorOf(
        { states: states(legsOf(A, B), legsOf(EDITED, B), legsOf(EDITED, B, C)) },
        mirror({ legs: [EDITED, B], at: 1500 }),
      ),
      mirrorOf({ states: states(legsOf(A, B), legsOf(EDITED, B)) }, mirror({ legs: [A, B], at: 500 })),
    ],
  },
  'mirror: transactions differ': {
    wrong: [
      mirrorOf({}, mirror({ legs: [A, B], transactions: txnMap(A, C) })),
      mirrorOf({}, mirror({ legs: [A, B], transactions: txnMap(EDITED, B) })),
      mirrorOf(
        { stderr: 'Edits may be missing in transactions.' },
        mirror({ legs: [A, B], transactions: txnMap(A, C) }),
      ),
    ],
    right: [
      mirrorOf({}, mirror({ legs: [A, B], transactions: txnMap(A, B) })),
      mirrorOf(
        { stderr: 'Edits may be missing in transactions.' },
        mirror({ legs: [A, B], transactions: txnMap(EDITED, B) }),
      ),
      mirrorOf(
        { stderr: 'Only the number of transactions was compared.' },
        mirror({ legs: [A, B], transactions: txnMap(A, C) }),
      ),
      mirrorOf({}, mirror({ legs: [A, B], transactions: { ...txnMap(A, C), verified: false } })),
    ],
  },
  'negative: rows are missing or repeated': {
    wrong: [
      negativeOf({ states: states(legsOf(A, NEGATIVE)), served: [negativeRead()] }, []),
      negativeOf({ states: states(legsOf(A, NEGATIVE)), served: [negativeRead(NEGATIVE)] }, []),
      negativeOf({ states: states(legsOf(A, NEGATIVE)), served: [negativeRead(NEGATIVE)] }, [{ legs: 2 }]),
    ],
    right: [
      negativeOf({ states: states(legsOf(A, NEGATIVE)), served: [negativeRead(NEGATIVE)] }, [{ legs: 1 }]),
      negativeOf({ states: states(legsOf(A, NEGATIVE)), served: [], exit: 12 }, []),
      negativeOf({ states: states(legsOf(A, NEGATIVE)), served: [], stderr: 'Rows may be missing.' }, []),
    ],
  },
  'negative: balances are said to be known': {
    wrong: [negativeOf({ states: states(legsOf(UNKNOWN)), stderr: 'Every leg has a running balance.' }, [])],
    right: [negativeOf({ states: states(legsOf(A)), stderr: 'Every leg has a running balance.' }, [])],
  },
  'audit: rows are missing or repeated': {
    wrong: [auditOf({}, 2), auditOf({ served: audited() }, 3), auditOf({ exit: 10 }, 2)],
    right: [auditOf({ served: audited() }, 2), auditOf({ exit: 12 }, 2)],
  },
  'audit: a list ended early': {
    wrong: [
      auditOf({ served: audited(page(2, '/v1/transactions', 'hasMissingPrice=true', { total: 5 })) }, 2),
    ],
    right: [
      auditOf({ served: audited(page(2, '/v1/transactions', 'hasMissingPrice=true', { total: 0 })) }, 2),
      auditOf(
        { served: audited(page(2, '/v1/transactions', 'hasMissingPrice=true', { total: 5 })) },
        2,
        'Transactions may be missing',
      ),
    ],
  },
  'list: the service reported more rows': {
    wrong: [
      listOf({ served: [page(0, '/v1/ledgers', '', { total: 5 })] }, {}, []),
      listOf(
        {
          served: [
            page(0, '/v1/ledgers', '', { rows: rowsOf(legsOf(A)), hasMore: true }),
            page(1, '/v1/ledgers', 'offset=1', { hasMore: false }),
          ],
        },
        {},
        ['a'],
      ),
    ],
    right: [
      listOf({ served: [page(0, '/v1/ledgers', '', { total: 0 })] }, {}, []),
      listOf({ served: [page(0, '/v1/ledgers', '', { total: 5 })], exit: 12 }, {}, []),
    ],
  },
  'list: a row fails a filter': {
    wrong: [
      listOf({ served: [] }, { types: 'fee' }, ['a']),
      listOf({ served: [], stderr: 'Filters not verified: types.' }, { types: 'fee' }, ['a']),
      listOf({ served: [] }, { providers: 'ledger' }, ['a']),
      judgeList(ran({ served: [] }), '/v1/transactions', { notWalletIds: 'wal_1' }, ['txn_a'], {}),
      judgeList(ran({ served: [] }), '/v1/providers', { type: 'exchange' }, ['p'], {
        '/v1/providers': [{ id: 'p', text: '', fields: { type: 'wallet' } }],
      }),
    ],
    right: [
      listOf({ served: [] }, { types: 'incoming' }, ['a', 'b']),
      listOf({ served: [], stderr: 'Filters not verified: providers.' }, { providers: 'ledger' }, ['a']),
      // The transaction also has a leg in an account that is not excluded.
      judgeList(
        ran({
          served: [],
          states: states(legsOf(A, leg('x', { transactionId: 'txn_a', walletId: 'wal_2' }))),
        }),
        '/v1/transactions',
        { notWalletIds: 'wal_1' },
        ['txn_a'],
        {},
        false,
      ),
    ],
  },
  'list: a row occurs twice': {
    wrong: [listOf({ served: [] }, {}, ['a', 'b', 'a'])],
    right: [listOf({ served: [] }, {}, ['a', 'b'])],
  },
  'list: a row is missing': {
    wrong: [
      listOf({ served: [] }, {}, ['a'], true),
      listOf({ served: [], states: states(legsOf(A, B), legsOf(B, C)) }, {}, ['a', 'c'], true),
      judgeList(ran({ served: [] }), '/v1/transactions', {}, ['txn_a'], {}),
      judgeList(ran({ served: [] }), '/v1/labels', {}, [], {
        '/v1/labels': [{ id: 'l', text: '', fields: {} }],
      }),
    ],
    right: [
      listOf({ served: [] }, {}, ['a', 'b'], true),
      listOf({ served: [] }, { types: 'fee' }, [], true),
      // A leg that was added, deleted or moved may be printed or not.
      listOf({ served: [], states: states(legsOf(A, B), legsOf(B, C)) }, {}, ['b'], true),
    ],
  },
};

describe('the judge of claims', () => {
  test('the test data contain an example of each kind of wrong claim', () => {
    expect(Object.keys(CLAIMS).sort()).toEqual([...REFUTATIONS].sort());
  });

  test.each([...REFUTATIONS])('refutes wrong claims of the kind "%s", and accepts right claims', (kind) => {
    const { wrong, right } = CLAIMS[kind];
    for (const found of wrong) expect(found.map((refutation) => refutation.kind)).toEqual([kind]);
    for (const found of right) expect(found).toEqual([]);
  });
});
