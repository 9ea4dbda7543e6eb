// This process performs one session operation and counts the steps. It either kills itself (SIGKILL) before a given step, or
// copies all files and keychain entries before every step. A step is a change to a file or the keychain, or a stage of a
// request.
import { cpSync, writeSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type { AuthHost } from '../../src/auth/host.ts';
import { openSession } from '../../src/auth/session.ts';
import { CryptodataError } from '../../src/core/errors.ts';
import { hostOf, type Job, type Outcome } from './crash.ts';
import { plainAgent } from './plain-agent.ts';

const job: Job = JSON.parse(process.argv[2] ?? '');
const steps: string[] = [];

function step(name: string): void {
  steps.push(name);
  if (job.moments !== undefined) {
    const moment = join(job.moments, `${steps.length}`);
    cpSync(join(job.directory, '..'), moment, { recursive: true, preserveTimestamps: true });
  }
  if (steps.length === job.killAt) die();
}

function die(): never {
  writeSync(2, String(steps.at(-1)));
  process.kill(process.pid, 'SIGKILL');
  for (;;); // wait for the signal
}

function nameOf(path: unknown): string {
  const below = String(path).replace(`${job.directory}/`, '').replace(job.directory, '.');
  return below.replace(/[0-9a-f-]{36}/g, 'ID');
}

const original = { ...files };
const patched = {
  mkdir: (...args: Parameters<typeof files.mkdir>) => {
    step(`mkdir ${nameOf(args[0])}`);
    return original.mkdir(...args);
  },
  rename: (...args: Parameters<typeof files.rename>) => {
    step(`rename ${nameOf(args[0])}`);
    return original.rename(...args);
  },
  rm: (...args: Parameters<typeof files.rm>) => {
    step(`rm ${nameOf(args[0])}`);
    return original.rm(...args);
  },
  rmdir: (path: string) => {
    step(`rmdir ${nameOf(path)}`);
    return original.rmdir(path);
  },
  unlink: (path: string) => {
    step(`unlink ${nameOf(path)}`);
    return original.unlink(path);
  },
  writeFile: (...args: Parameters<typeof files.writeFile>) => {
    step(`write ${nameOf(args[0])}`);
    return original.writeFile(...args);
  },
  open: async (...args: Parameters<typeof files.open>) => {
    const name = nameOf(args[0]);
    if (args[1] !== 'r') step(`open ${name}`);
    const file = await original.open(...args);
    const { writeFile, sync } = file;
    file.writeFile = async (data) => {
      step(`write ${name}`);
      // Write the first 20 bytes alone, so that a kill at the next step leaves a partial file. The second write starts again at
      // position 0.
      await file.write(Buffer.from(String(data)).subarray(0, 20), 0, 20, 0);
      step(`half-written ${name}`);
      return writeFile.call(file, data);
    };
    file.sync = () => {
      step(`flush ${name}`);
      return sync.call(file);
    };
    return file;
  },
};
Object.assign(files, patched);
syncBuiltinESMExports();

async function run(host: AuthHost): Promise<Partial<Outcome>> {
  if (job.action === 'logout') {
    const { logout } = await import('../../src/auth/logout.ts');
    await logout(host);
    return {};
  }
  if (job.action === 'login') {
    const { login } = await import('../../src/auth/login.ts');
    let address = (_: string) => {};
    const pasted = new Promise<string>((resolve) => {
      address = resolve;
    });
    await login(host, {
      onUrl: (url, redirectUri) =>
        address(`${redirectUri}?code=c&state=${new URL(url).searchParams.get('state')}`),
      pasted: (async function* () {
        yield await pasted;
      })(),
    });
    return {};
  }
  return { accessToken: (await openSession(host).accessToken()).accessToken };
}

const host = hostOf(job, { step, dispatcher: plainAgent(step) });
let end: Partial<Outcome>;
try {
  end = await run(host);
} catch (error) {
  end = { error: error instanceof CryptodataError ? error.code : `bug: ${error}` };
}
const outcome: Outcome = { steps, warnings: host.warnings, ...end };
process.stdout.write(JSON.stringify(outcome), () => process.exit(0));
