// The sandbox in a separate process. Prints its address and start-up time, and for each line on stdin the resources
// used so far. Exits at the end of stdin.
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
