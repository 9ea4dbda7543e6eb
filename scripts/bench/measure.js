// `node --import` loads this module before a program. When the program ends, the module writes the CPU time, wall time and peak
// memory of the program to the file in BENCH_USED.
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
