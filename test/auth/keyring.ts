import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from './support.ts';

const run = promisify(execFile);

/** The programs that a test with a real keyring requires. Pass these names to `needs`. */
export const KEYRING_PROGRAMS = ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon', 'secret-tool'];

/** Locks the keyring. The test environment cannot show a prompt to unlock the keyring. */
export async function lockKeyring(env: NodeJS.ProcessEnv): Promise<void> {
  const method = 'org.freedesktop.Secret.Service.Lock';
  const collection = 'array:objpath:/org/freedesktop/secrets/collection/login';
  const to = ['--session', '--print-reply', '--dest=org.freedesktop.secrets', '/org/freedesktop/secrets'];
  await run('dbus-send', [...to, method, collection], { env });
}

function stopLater(child: ChildProcess): void {
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
}

/** Starts a separate D-Bus session. Returns the environment variables that let a program find that session. */
export async function startBus(): Promise<NodeJS.ProcessEnv> {
  const home = temporaryDirectory();
  const base = {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_RUNTIME_DIR: home,
    XDG_DATA_HOME: join(home, 'data'),
  };
  // The configuration contains no service files, so services are started only by the test, never by the bus.
  const policy =
    '<policy context="default"><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/></policy>';
  const config = join(home, 'bus.conf');
  writeFileSync(
    config,
    `<busconfig><type>session</type><listen>unix:dir=${home}</listen>${policy}</busconfig>`,
  );
  const bus = spawn('dbus-daemon', [`--config-file=${config}`, '--print-address=1', '--nofork'], {
    env: base,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  stopLater(bus);
  const [address] = await once(createInterface({ input: bus.stdout }), 'line');
  return { ...base, DBUS_SESSION_BUS_ADDRESS: String(address) };
}

/** Starts a D-Bus session with a real GNOME Keyring. The keyring is new and unlocked. */
export async function startKeyring(): Promise<NodeJS.ProcessEnv> {
  const env = await startBus();
  await startDaemon(env);
  return env;
}

/**
 * Starts the keyring daemon on an existing bus, and waits until the daemon provides the Secret Service.
 *
 * @param canWrite if false, all file writes of the daemon fail, as on a full or read-only disk. Unlike missing permissions,
 * this also affects root.
 */
export async function startDaemon(env: NodeJS.ProcessEnv, canWrite = true): Promise<ChildProcess> {
  const limits = canWrite ? '' : "trap '' XFSZ; ulimit -f 0;";
  const command = `${limits} exec gnome-keyring-daemon --unlock --foreground --components=secrets`;
  const daemon = spawn('bash', ['-c', command], { env, stdio: ['pipe', 'ignore', 'ignore'] });
  stopLater(daemon);
  daemon.stdin.end('password');
  await secretService(env);
  return daemon;
}

/**
 * Waits until a program provides the Secret Service. This function calls only the bus, not the Secret Service. If the bus has
 * service files, a call to the Secret Service would start a second keyring, which would be locked.
 */
export async function secretService(env: NodeJS.ProcessEnv): Promise<void> {
  const hasOwner = [
    '--session',
    '--print-reply',
    '--dest=org.freedesktop.DBus',
    '/',
    'org.freedesktop.DBus.NameHasOwner',
  ];
  for (;;) {
    const { stdout } = await run('dbus-send', [...hasOwner, 'string:org.freedesktop.secrets'], { env });
    if (stdout.includes('true')) return;
    await wait(20);
  }
}
