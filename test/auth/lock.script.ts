// One of the processes that compete for a lock. It acquires the lock several times. While it holds the lock, it reads a number,
// waits, and writes the number plus 1.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { withLock } from '../../src/core/lock.ts';

const [, , lock = '', file = '', times = '1', mode = ''] = process.argv;
for (let count = 0; count < Number(times); count++) {
  await withLock(lock, {}, async () => {
    if (mode === 'die') process.kill(process.pid, 'SIGKILL');
    if (mode === 'hold') {
      process.stdout.write('held\n');
      await wait(600_000);
    }
    const number = Number(readFileSync(file, 'utf8'));
    await wait(Math.random() * 3);
    writeFileSync(file, String(number + 1));
  });
}
