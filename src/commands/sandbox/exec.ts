import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { noteExample, openSandbox } from '../../app/sandbox.ts';
import { verb } from '../../cli/define.ts';
import { choiceFlag } from '../../cli/flags.ts';
import type { Context } from '../../context.ts';
import { type CryptodataError, messageOf, usageError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { shellWord } from '../../core/text.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { sandboxFlags, sandboxOptions } from './flags.ts';

export const exec = verb({
  name: 'exec',
  summary: 'Run a command against a new sandbox, then stop the sandbox',
  about: `The command gets environment variables with the addresses, the client, and a credential (default: an access token for the default workspace). If the command calls cryptodata, this version of cryptodata runs. The command gets an empty configuration directory, so your own profiles are neither read nor changed.`,
  operands: [{ written: '<command...>', describe: 'the command and its arguments, after --' }],
  flags: {
    ...sandboxFlags,
    credential: choiceFlag(
      '--credential <kind>',
      'credential for the command: token (default); api-key, which also sets the workspace; or none, if the command performs its own login',
      ['token', 'api-key', 'none'],
    ),
  },
  examples: {
    'List the newest ledgers': 'cryptodata sandbox exec -- cryptodata ledgers',
    'Count negative balances in a pipeline':
      "cryptodata sandbox exec -- sh -c 'cryptodata ledgers list --lt-after-balance 0 --all --json | jq length'",
    'Run the tests of your application': 'cryptodata sandbox exec --rows 500 -- npm test',
    'Post transactions to the legacy API, which requires a key':
      'cryptodata sandbox exec --credential api-key -- cryptodata legacy post posted.json --dry-run',
    'Test your program with a flaky network': 'cryptodata sandbox exec --scenario flaky-network -- npm test',
    'Log in as a member with fewer permissions':
      'cryptodata sandbox exec --consent-as viewer -- cryptodata ledgers',
    'Open a shell': 'cryptodata sandbox exec --data example -- bash',
  },
  prints: 'The output of the command. Then "sandbox exec" exits with the exit code of the command.',
  exits: [0, 2, 130],
  async run(context, { credential = 'token', ...flags }, command) {
    if ((await context.settings()).profileNamed) {
      throw usageError(
        'sandbox exec cannot be used with -p, because the command gets the login and the settings of the sandbox',
        'Omit -p. To let the command log in with its own profiles, add --credential none.',
      );
    }
    const options = await sandboxOptions(context, flags, 0);
    const sandbox = await openSandbox(options);
    noteExample(context, options);
    const home = await mkdtemp(join(tmpdir(), 'cryptodata-sandbox-'));
    try {
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

/** Removes all CRYPTODATA_ variables of the user, so that the command does not use the real service. */
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
    // If the command logs in, the secrets are stored in `home`, which is deleted at the end.
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: randomBytes(24).toString('base64url'),
  };
}

/** Creates a directory with a `cryptodata` script that runs this build with this Node. */
async function shim(directory: string, entry: string): Promise<string> {
  await mkdir(directory);
  if (process.platform === 'win32') {
    await writeFile(join(directory, 'cryptodata.cmd'), `@"${process.execPath}" "${entry}" %*\r\n`);
  } else {
    const file = join(directory, 'cryptodata');
    await writeFile(file, `#!/bin/sh\nexec ${shellWord(process.execPath)} ${shellWord(entry)} "$@"\n`);
    await chmod(file, 0o755);
  }
  return directory;
}

async function runChild(
  context: Context,
  [name = '', ...rest]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  // Access stdin before spawning the child: the first access makes stdin non-blocking, and the spawn makes it blocking again.
  // After the spawn, the first access would make stdin non-blocking for the child too.
  const { isTTY } = context.streams.stdin;
  // Ctrl-C during the start of the sandbox also cancels the command. Before the command starts, let Node handle the signals
  // that have arrived.
  await setImmediate();
  context.signal.throwIfAborted();
  context.leaveSignalsToChild();
  const child = spawn(name, rest, { env, stdio: 'inherit', shell: process.platform === 'win32' });
  // The command must not outlive its sandbox when this process ends early.
  const kill = () => child.kill();
  process.on('exit', kill);
  // On a terminal, the command receives Ctrl-C directly and decides how to react. Only other signals are forwarded.
  const passed = (['SIGTERM', 'SIGHUP', ...(isTTY ? [] : ['SIGINT'])] as const).map((signal) => {
    const pass = () => child.kill(signal as NodeJS.Signals);
    process.on(signal, pass);
    return () => process.off(signal, pass);
  });
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(cannotRun(name, error)));
      child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    for (const stop of passed) stop();
    process.off('exit', kill);
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
