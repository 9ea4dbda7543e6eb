/**
 * The whole program of the child process that talks to the operating system's keychain. It runs as text under
 * `node -e`, so it may use nothing but its argument and Node's globals.
 *
 * A child, because the native library cannot be interrupted: it connects to the Secret Service inside a
 * constructor, on the main thread, and a bus that never answers would hang the tool for good, its exit
 * included. A child can be killed. One line in is one call, `[operation, account, secret?]` as JSON; one line
 * out is its answer. Secrets pass over the pipes alone, never over arguments or the environment.
 */
export function keychainWorker(load: NodeJS.Require): void {
  const { createInterface }: typeof import('node:readline') = load('node:readline');
  const say = (answer: object) => process.stdout.write(`${JSON.stringify(answer)}\n`);
  const told = (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) });
  const lines = createInterface({ input: process.stdin });
  let library: typeof import('@napi-rs/keyring');
  try {
    library = load(process.argv[1] ?? '');
    say({ ready: true });
  } catch (error) {
    say({ ready: false, ...told(error) });
    return;
  }
  lines.on('line', (line) => {
    try {
      const [operation, account, secret]: string[] = JSON.parse(line);
      // Pinned: without it the library falls back to the kernel's keyring, which forgets at reboot.
      const entry = new library.Entry('cryptodata', account ?? '', { linux: { store: 'secret-service' } });
      if (operation === 'get') say({ value: entry.getPassword() });
      else if (operation === 'set') say({ value: entry.setPassword(secret ?? '') ?? null });
      else say({ value: entry.deletePassword() });
    } catch (error) {
      say(told(error));
    }
  });
}
