// Tests the holdings of the current API. The expected quantities are sums over all ledgers.

import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { allLedgers, get, type Json, list, object, start, text } from './helpers.ts';

const Exact = Decimal.clone({ precision: 1000 });
const sandbox = await start();
const ledgers = await allLedgers(sandbox);
const whole = await get(sandbox, '/v1/holdings', { limit: 200 });
const holdings = list(whole.body['data']);

const quantities = new Map<string, Decimal>();
for (const { assetId, type, quantity } of ledgers) {
  if (assetId === null) continue;
  const before = quantities.get(text(assetId)) ?? new Exact(0);
  quantities.set(
    text(assetId),
    type === 'incoming' ? before.plus(text(quantity)) : before.minus(text(quantity)),
  );
}

describe('holdings', () => {
  it('returns holdings and their total value in the specified envelope [current.holdings, holding.totalValue, envelopes.wrapped]', async () => {
    const { status, body } = await get(sandbox, '/v1/holdings', { limit: 2, offset: 1 });
    expect(status).toBe(200);
    const keys = ['success', 'data', 'totalCount', 'offset', 'limit', 'hasMore', 'totalValue'];
    expect(Object.keys(body)).toEqual(keys);
    expect(body['data']).toEqual(holdings.slice(1, 3));
    expect(body).toMatchObject({
      success: true,
      totalCount: sandbox.truth.holdings,
      offset: 1,
      limit: 2,
      hasMore: true,
      totalValue: whole.body['totalValue'],
    });
    expect(whole.raw).toContain(`"totalValue":${sandbox.truth.holdingsValue}}`);
    expect(whole.body['hasMore']).toBe(false);
  });

  it('holdings contain exactly the assets with a positive balance in the ledgers', () => {
    const held = [...quantities].filter(([, quantity]) => quantity.greaterThan(0)).map(([id]) => id);
    expect(new Set(holdings.map(({ assetId }) => assetId))).toEqual(new Set(held));
    expect(holdings).toHaveLength(held.length);
    expect(sandbox.truth.holdings).toBe(held.length);
    expect([...quantities].some(([, quantity]) => quantity.lessThanOrEqualTo(0))).toBe(true);
  });

  it('holdings contain exactly the specified fields [holding.costBasis, holding.costPerUnit, holding.change24h, holding.change24hPercentage, holding.transactionCount, holding.isSpam, holding.assetId, holding.asset.tokenId, holding.no-summary, not-shown.holdings-record, rename.holdings]', () => {
    const fields = [
      'assetId',
      'asset',
      'costBasis',
      'costPerUnit',
      'roiPercentage',
      'change24h',
      'change24hPercentage',
      'transactionCount',
      'isSpam',
    ];
    for (const holding of holdings) {
      expect(Object.keys(holding)).toEqual(fields);
      expect(Object.keys(object(holding['asset']))).toEqual(['tokenId']);
      expect(text(object(holding['asset'])['tokenId'])).not.toBe('');
      for (const name of [
        'costBasis',
        'costPerUnit',
        'change24h',
        'change24hPercentage',
        'transactionCount',
      ]) {
        expect([name, typeof holding[name]]).toEqual([name, 'number']);
      }
      expect(typeof holding['isSpam']).toBe('boolean');
    }
    expect(new Set(holdings.map(({ asset }) => object(asset)['tokenId'])).size).toBe(holdings.length);
  });

  it('costBasis is quantity × costPerUnit, and roiPercentage is null if costBasis is 0 [holding.roiPercentage]', () => {
    for (const { assetId, costBasis, costPerUnit, roiPercentage } of holdings) {
      const cost = (quantities.get(text(assetId)) ?? new Exact(0)).times(Number(costPerUnit));
      const tolerance = cost.times('1e-12').plus('1e-8');
      expect(cost.minus(Number(costBasis)).abs().lessThanOrEqualTo(tolerance)).toBe(true);
      expect(roiPercentage === null).toBe(costBasis === 0);
    }
    const returns = holdings.map(({ roiPercentage }) => roiPercentage);
    expect(returns).toContain(null);
    expect(returns).toContain(0);
    expect(returns.some((roi) => Number(roi) < 0)).toBe(true);
    expect(returns.some((roi) => Number(roi) > 0)).toBe(true);
  });

  it('the cost of a holding is the average cost of incoming legs, computed separately for each wallet', () => {
    const wallets = new Map<string, Map<unknown, { held: number; cost: number }>>();
    for (const { assetId, walletId, type, quantity, price } of [...ledgers].reverse()) {
      const ofAsset = wallets.get(String(assetId)) ?? new Map();
      wallets.set(String(assetId), ofAsset);
      const { held, cost } = ofAsset.get(walletId) ?? { held: 0, cost: 0 };
      const amount = Number(quantity);
      const before = Math.max(held, 0);
      const paid = type === 'incoming' && price !== null ? Number(object(price)['price']) : undefined;
      ofAsset.set(walletId, {
        held: type === 'incoming' ? held + amount : held - amount,
        cost: paid === undefined ? cost : (before * cost + amount * paid) / (before + amount),
      });
    }
    let overdrawn = 0;
    for (const { assetId, costPerUnit } of holdings) {
      const all = [...(wallets.get(text(assetId))?.values() ?? [])];
      const positive = all.filter(({ held }) => held > 0);
      const held = positive.reduce((sum, one) => sum + one.held, 0);
      const paid = positive.reduce((sum, one) => sum + one.held * one.cost, 0);
      // Hundreds of legs are added as floats, so tolerate rounding errors.
      expect(Math.abs(paid / held - Number(costPerUnit))).toBeLessThanOrEqual(Number(costPerUnit) * 1e-6);
      if (all.some((one) => one.held < -1e-9)) overdrawn += 1;
    }
    expect(overdrawn).toBeGreaterThan(1);
  });

  it('totalValue is the sum of the values of the priced holdings, each computed from costBasis and roiPercentage', () => {
    const priced = holdings.filter(({ roiPercentage }) => roiPercentage !== null);
    const sum = priced.reduce(
      (total, { costBasis, roiPercentage }) => total + Number(costBasis) * (1 + Number(roiPercentage) / 100),
      0,
    );
    const total = Number(whole.body['totalValue']);
    expect(Math.abs(sum - total) / total).toBeLessThan(1e-4);
  });

  it('change24h and change24hPercentage of a holding have the same sign', () => {
    for (const { change24h, change24hPercentage } of holdings) {
      if (Math.abs(Number(change24h)) > 1) {
        expect(Math.sign(Number(change24h))).toBe(Math.sign(Number(change24hPercentage)));
      }
    }
    expect(holdings.some(({ change24h }) => Number(change24h) > 0)).toBe(true);
    expect(holdings.some(({ change24h }) => Number(change24h) < 0)).toBe(true);
  });

  it('the transactionCount of a holding counts transactions, not legs', () => {
    for (const { assetId, transactionCount } of holdings) {
      const legs = ledgers.filter((leg) => leg['assetId'] === assetId);
      expect(transactionCount).toBe(new Set(legs.map((leg) => leg['transactionId'])).size);
    }
  });

  it('holdings of spam assets are marked as spam', () => {
    const nameOf = new Map(ledgers.map((leg): [unknown, Json] => [leg['assetId'], object(leg['asset'])]));
    const spam = holdings.filter(({ isSpam }) => isSpam === true);
    expect(spam.some(({ assetId }) => text(nameOf.get(assetId)?.['name']).startsWith('=IMPORTXML'))).toBe(
      true,
    );
    expect(spam.some(({ assetId }) => nameOf.get(assetId)?.['symbol'] === 'BTC')).toBe(false);
    expect(spam.length).toBeLessThan(holdings.length);
  });

  it('a request for holdings is rejected if limit or offset is invalid, and the error contains the parameter', async () => {
    for (const query of [{ limit: '0' }, { limit: '201' }, { limit: 'x' }, { offset: '-1' }, { limit: '' }]) {
      const { status, body } = await get(sandbox, '/v1/holdings', query);
      expect([query, status, body['code'], body['success']]).toEqual([query, 400, 'VALIDATION_ERROR', false]);
      const [issue] = list(object(body['details'])['issues']);
      expect(Object.keys(issue ?? {})).toEqual(['code', 'expected', 'received', 'path', 'message']);
      expect(issue?.['path']).toEqual(Object.keys(query));
    }
  });

  it('an empty workspace has an empty list of holdings', async () => {
    const { body } = await get(await start({ rows: 0 }), '/v1/holdings');
    expect(body).toEqual({
      success: true,
      data: [],
      totalCount: 0,
      offset: 0,
      limit: 50,
      hasMore: false,
      totalValue: 0,
    });
  });
});
