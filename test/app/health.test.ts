import { expect, test } from 'vitest';
import { functionHealth, outage } from '../../src/app/health.ts';

const base = (enabled: boolean, operational: boolean) => ({ name: 'f', is_base: true, enabled, operational });
const other = (enabled: boolean, operational: boolean) => ({ ...base(enabled, operational), is_base: false });

test.each([
  [base(true, true), 'operational'],
  [base(true, false), 'degraded: full outage'],
  [other(true, false), 'degraded: partial outage'],
  [other(false, false), 'unknown'],
  [{ name: 'f' }, 'unknown'],
  [{ name: 'f', enabled: 'yes', operational: 0 }, 'unknown'],
])('the health of the connector function %j is %s', (connector, health) => {
  expect(functionHealth(connector)).toBe(health);
});

test.each([
  [[base(true, true), other(true, true)], 'none'],
  [[base(true, true), other(true, false)], 'partial outage'],
  [[base(true, false), other(true, false)], 'full outage'],
  [[base(true, true), other(false, false)], 'none'],
  [[other(false, false)], 'unknown'],
  [[], 'unknown'],
  [null, 'unknown'],
])('for a provider with the functions %j, the outage is %s', (functions, expected) => {
  expect(outage({ functions })).toBe(expected);
});
