// The sandbox, in a process of its own: says where it is and how long its start took, and with each line on stdin what
// it used so far. It ends with stdin.
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
