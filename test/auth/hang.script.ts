// This process opens and uses the keychain in the same way as the tool. The environment contains the address of the D-Bus
// session. With the argument `exit` or `early`, the process calls process.exit; otherwise, it ends on its own.
import { openKeychain } from '../../src/auth/keychain/index.ts';
import { CryptodataError } from '../../src/core/errors.ts';

const keychain = openKeychain({ kind: 'os', directory: '/nowhere', env: process.env });
if (process.argv[2] === 'early') process.stdin.once('data', () => process.exit(0));
const outcomes = await Promise.allSettled([
  keychain.get('p:cache-key'),
  keychain.set('p:refresh-token', 'x'),
]);
const codes = outcomes.map((outcome) =>
  outcome.status === 'rejected' && outcome.reason instanceof CryptodataError
    ? outcome.reason.code
    : outcome.status,
);
process.stdout.write(`${JSON.stringify(codes)}\n`, () => {
  if (process.argv[2] === 'exit') process.exit(0);
});
