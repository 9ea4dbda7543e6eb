// Runs the sandbox in a separate process. First prints the address and the start-up time. Each line on stdin then prints the
// CPU time and the peak memory so far. Exits when stdin ends.
import { createSandbox } from '../../dist/sandbox.js';

const began = performance.now();
const { url, env } = await createSandbox({ rows: Number(process.argv[2]) });
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
say({ url, token: env.CRYPTODATA_ACCESS_TOKEN, started: performance.now() - began });

process.stdin.on('data', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  say({ cpu: (userCPUTime + systemCPUTime) / 1000, memory: maxRSS / 1024 });
});
process.stdin.on('end', () => process.exit());
