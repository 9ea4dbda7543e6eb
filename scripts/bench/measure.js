// Loaded before a program (node --import). When the program ends, writes its CPU time, wall time and memory to $BENCH_USED.
import { writeFileSync } from 'node:fs';

const began = performance.now();
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const used = {
    cpu: (userCPUTime + systemCPUTime) / 1000,
    wall: performance.now() - began,
    memory: maxRSS / 1024,
  };
  writeFileSync(process.env.BENCH_USED, JSON.stringify(used));
});
