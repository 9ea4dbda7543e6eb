// Tests that stored tokens expire by the sandbox's clock. The library that issues the tokens reads the machine's clock.

import { beforeEach, expect, it } from 'vitest';
import { createTokenStore } from '../../src/sandbox/identity/adapter.ts';

let time = 0;
let machine = 0;
beforeEach(() => {
  time = 4_000_000_000_000;
  machine = 1_000_000_000_900;
});

/** Returns a token that is issued now, according to the machine's clock, and that is valid for ten seconds. */
function issued() {
  const iat = Math.floor(machine / 1000);
  return { iat, exp: iat + 10 };
}

function open() {
  const store = createTokenStore(
    () => time,
    () => machine,
  );
  return { store, tokens: store.adapter('AccessToken') };
}

it('stores a token with the current sandbox time if the library created the token slightly earlier', async () => {
  const { store, tokens } = open();
  const payload = issued();
  machine += 200;
  await tokens.upsert('a', payload, 10);
  expect(store.times('a')).toEqual({ iat: 4_000_000_000, exp: 4_000_000_010 });
});

it("only the sandbox's clock determines when a token expires; the machine's clock has no effect", async () => {
  const { tokens } = open();
  await tokens.upsert('a', issued(), 10);
  machine += 86_400_000;
  time += 9999;
  const found = await tokens.find('a');
  // The library compares `exp` with the machine's clock a moment later.
  machine += 900;
  expect(found?.exp).toBeGreaterThan(Math.floor(machine / 1000));
  time += 1;
  expect(await tokens.find('a')).toBeUndefined();
});

it('an entry that is stored again keeps its original times', async () => {
  const { store, tokens } = open();
  const payload = issued();
  await tokens.upsert('a', payload, 10);
  machine += 3000;
  time += 3000;
  await tokens.upsert('a', { ...payload, consumed: true }, 7);
  expect(store.times('a')).toMatchObject({ iat: 4_000_000_000, exp: 4_000_000_010 });
});

it('a reset restores the saved entries', async () => {
  const { store, tokens } = open();
  await tokens.upsert('a', issued(), 10);
  store.keep();
  await tokens.destroy('a');
  await tokens.upsert('b', issued(), 10);
  store.reset();
  expect([await tokens.find('b'), (await tokens.find('a'))?.iat]).toEqual([undefined, 1_000_000_000]);
});
