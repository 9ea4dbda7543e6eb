import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { verb } from '../../cli/define.ts';
import { choice } from '../../cli/flags.ts';
import type { Context } from '../../context.ts';
import { type CryptodataError, messageOf, usageError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { sandboxFlags, sandboxOptions } from './flags.ts';
import { noteExample, openSandbox } from './start.ts';

export const exec = verb({
  name: 'exec',
  summary: 'Run a command against a sandbox of its own, then stop it',
  about: `The command gets the addresses, the client, an access token of the default workspace (or what --credential says), and a PATH on which cryptodata is this one. Its settings are those of an empty directory, so that nothing of your own profiles is read or changed.`,
  operands: [{ written: '<command...>', describe: 'the command and its arguments, behind --' }],
  flags: {
    ...sandboxFlags,
    credential: choice(
      '--credential <kind>',
      'what the command gets: token (default), api-key with its workspace, or none, to log in by itself',
      ['token', 'api-key', 'none'],
    ),
  },
  examples: [
    { says: 'The newest ledgers', line: 'cryptodata sandbox exec -- cryptodata ledgers' },
    {
      says: 'A pipeline',
      line: "cryptodata sandbox exec -- sh -c 'cryptodata ledgers list --lt-after-balance 0 --all --json | jq length'",
    },
    { says: 'The tests of your own application', line: 'cryptodata sandbox exec --rows 500 -- npm test' },
    {
      says: 'Post transactions to the previous API, which wants a key',
      line: 'cryptodata sandbox exec --credential api-key -- cryptodata legacy post posted.json --dry-run',
    },
    {
      says: 'What your program makes of a network that fails',
      line: 'cryptodata sandbox exec --scenario flaky-network -- npm test',
    },
    {
      says: 'As a member whose role allows less',
      line: 'cryptodata sandbox exec --consent-as viewer -- cryptodata ledgers',
    },
    { says: 'Look around', line: 'cryptodata sandbox exec --data example -- bash' },
  ],
  prints: 'What the command prints. Its exit code is that of the command.',
  exits: [0, 2, 130],
  async run(context, { credential = 'token', ...flags }, command) {
    const options = await sandboxOptions(context, flags, 0);
    const sandbox = await openSandbox(options);
    noteExample(context, options);
    const home = await mkdtemp(join(tmpdir(), 'cryptodata-sandbox-'));
    try {
      // Told to stop while it started: the command shall not run at all.
      context.signal.throwIfAborted();
      const exitCode = await runChild(
        context,
        command,
        await environment(context, credentialOf(sandbox, credential), home),
      );
      return { kind: 'silent', exitCode };
    } finally {
      await sandbox.close();
      await rm(home, { recursive: true, force: true });
    }
  },
});

function credentialOf(
  { env, apiKey, workspaceId }: Sandbox,
  kind: 'token' | 'api-key' | 'none',
): NodeJS.ProcessEnv {
  if (kind === 'token') return { ...env };
  const { CRYPTODATA_ACCESS_TOKEN: _, ...others } = env;
  return kind === 'none'
    ? others
    : { ...others, CRYPTODATA_API_KEY: apiKey, CRYPTODATA_WORKSPACE: workspaceId };
}

/** What the user's own environment holds for the real service must not reach the command beside the sandbox's. */
async function environment(
  context: Context,
  given: NodeJS.ProcessEnv,
  home: string,
): Promise<NodeJS.ProcessEnv> {
  const own = Object.entries(context.env).filter(([name]) => !/^CRYPTODATA_/i.test(name));
  const path = await shim(join(home, 'bin'), context.entry);
  const env: NodeJS.ProcessEnv = { ...Object.fromEntries(own), ...given };
  const pathName = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  return {
    ...env,
    [pathName]: [path, env[pathName]].filter(Boolean).join(delimiter),
    CRYPTODATA_CONFIG_DIR: join(home, 'config'),
    // A login inside keeps its secrets here too, and they go with the directory.
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: randomBytes(24).toString('base64url'),
  };
}

/** A directory that holds `cryptodata`, which is this build run by this Node. */
async function shim(directory: string, entry: string): Promise<string> {
  await mkdir(directory);
  if (process.platform === 'win32') {
    await writeFile(join(directory, 'cryptodata.cmd'), `@"${process.execPath}" "${entry}" %*\r\n`);
  } else {
    const file = join(directory, 'cryptodata');
    await writeFile(file, `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(entry)} "$@"\n`);
    await chmod(file, 0o755);
  }
  return directory;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

async function runChild(
  context: Context,
  [name = '', ...rest]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  // Ctrl-C on a terminal reaches the command as well; it decides what becomes of it, and its end is ours. What is sent
  // to us alone is passed on.
  context.leaveSignalsToChild();
  const child = spawn(name, rest, { env, stdio: 'inherit', shell: process.platform === 'win32' });
  const passed = (['SIGTERM', 'SIGHUP', ...(context.streams.stdin.isTTY ? [] : ['SIGINT'])] as const).map(
    (signal) => {
      const pass = () => child.kill(signal as NodeJS.Signals);
      process.on(signal, pass);
      return () => process.off(signal, pass);
    },
  );
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(cannotRun(name, error)));
      child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    for (const stop of passed) stop();
  }
}

function cannotRun(name: string, error: Error): CryptodataError {
  const near = nearest(name, ['cryptodata']);
  return usageError(
    `Cannot run ${JSON.stringify(name)}: ${messageOf(error)}`,
    near && near !== name ? `Did you mean ${near}?` : undefined,
    'CANNOT_RUN',
  );
}
