import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cleanEnv, ENTRY, type Env, launch, ROOT, run, sandboxed, start, temporary } from './harness.ts';

/** Returns the scripts that a command loads, and their total size in bytes. Hashes are removed from the names. */
async function loaded(args: readonly string[], env: Env = {}): Promise<{ files: string[]; bytes: number }> {
  const directory = temporary();
  const { code } = await run(args, { env: { ...env, NODE_V8_COVERAGE: directory } });
  expect(code).toBe(0);
  const [report = ''] = readdirSync(directory);
  const { result } = JSON.parse(readFileSync(join(directory, report), 'utf8'));
  const urls: string[] = result.map(({ url }: { url: string }) => url);
  const paths = urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
  return {
    files: paths.map((path) => path.slice(ROOT.length).replace(/-[\w-]{8}\.cjs$/, '')).sort(),
    bytes: paths.reduce((sum, path) => sum + statSync(path).size, 0),
  };
}

/** The built-in Node modules that a command loads, such as `child_process`. */
async function loadedOfNode(args: readonly string[], env: Env = {}): Promise<string[]> {
  const file = join(temporary(), 'modules.json');
  const report = `import { writeFileSync } from 'node:fs';
    process.on('exit', () => writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.moduleLoadList)));`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(report)}`;
  const { code } = await run(args, { env: { ...env, NODE_OPTIONS: preload } });
  expect(code).toBe(0);
  const modules: string[] = JSON.parse(readFileSync(file, 'utf8'));
  return modules.map((name) => name.replace(/^NativeModule /, ''));
}

// Every command except --version and --help loads these files. The size of the files determines the startup time.
const START = ['bin/cryptodata.js', 'dist/chunks/core', 'dist/main.cjs'];

test('--version loads only bin/cryptodata.js', async () => {
  expect(await loaded(['--version'])).toMatchObject({ files: ['bin/cryptodata.js'] });
});

test.each([[['--help']], [['ledgers', '--help']], [['ledgers', 'list', '-h']]])(
  'the command line %j loads only bin/cryptodata.js',
  async (args) => {
    expect(await loaded(args)).toMatchObject({ files: ['bin/cryptodata.js'] });
  },
);

test('__complete loads only a small file, and no code for the network', async () => {
  const words = ['__complete', '--', 'ledgers', 'list', '--types', 'fee,'];
  const { files, bytes } = await loaded(words);
  expect(files).toEqual(['bin/cryptodata.js', 'dist/complete.cjs']);
  expect(bytes).toBeLessThan(10_000);
  expect(statSync(join(ROOT, 'dist', 'completions.json')).size).toBeLessThan(120_000);
  const modules = await loadedOfNode(words);
  for (const name of ['net', 'http', 'https', 'child_process']) expect(modules).not.toContain(name);
});

test('--help writes its whole output to a non-blocking pipe that is almost full', async () => {
  const fifo = join(temporary(), 'pipe');
  execFileSync('mkfifo', [fifo]);
  const pipe = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    const filling = Buffer.alloc(60_000);
    expect(writeSync(pipe, filling)).toBe(filling.length);
    // The pipe has room for 64 KiB, so only part of this page fits.
    const page = readFileSync(join(ROOT, 'dist', 'help', '100', 'cryptodata sandbox start.txt'));
    // If Node passed the pipe as stdout, Node would make the pipe blocking. Therefore, a shell redirects stdout to the pipe.
    const command = 'exec cryptodata sandbox start --help >&3';
    const child = spawn('sh', ['-c', command], {
      env: cleanEnv(),
      stdio: ['ignore', 'ignore', 'inherit', pipe],
    });
    const ended = once(child, 'exit');
    // Give the program time to fill the pipe.
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1000))]);
    let text = Buffer.alloc(0);
    while (text.length < filling.length + page.length) {
      const part = Buffer.alloc(1000);
      try {
        text = Buffer.concat([text, part.subarray(0, readSync(pipe, part))]);
      } catch {
        if (child.exitCode !== null) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    expect(text.subarray(filling.length).equals(page)).toBe(true);
    expect(await ended).toEqual([0, null]);
  } finally {
    closeSync(pipe);
  }
});

test.each([[['ledgers', 'list']], [['config']], [['whoami']], [[]]])(
  'for %j, the prebuilt help matches the help that the program generates',
  async (words) => {
    // If a flag precedes the command, the program generates the help instead of printing the prebuilt help.
    const prebuilt = await start([...words, '--help']).ended;
    expect(prebuilt).toEqual(await run(['--quiet', ...words, '--help']));
  },
);

test('the command "config path" loads neither the TOML library nor the client', async () => {
  const { files, bytes } = await loaded(['config', 'path']);
  expect(files).toEqual([...START, 'dist/chunks/config'].sort());
  expect(bytes).toBeLessThan(185_000);
});

test('with a settings file, a command loads only one more file: the small TOML library', async () => {
  const directory = temporary();
  writeFileSync(join(directory, 'config.toml'), '[profiles.default]\ntz = "UTC"\n');
  const { files, bytes } = await loaded(['config', 'path'], { CRYPTODATA_CONFIG_DIR: directory });
  expect(files).toHaveLength(START.length + 2);
  expect(bytes).toBeLessThan(200_000);
});

test('the commands "config path" and "providers list" do not load the Node modules child_process and http2', async () => {
  const { env } = await sandboxed();
  for (const args of [
    ['config', 'path'],
    ['providers', 'list'],
  ]) {
    const modules = await loadedOfNode(args, env);
    expect(modules).toContain('net');
    expect(modules).not.toContain('child_process');
    expect(modules).not.toContain('http2');
  }
});

test('the command "providers list" loads the client, but no code for keychains, logins or other commands', async () => {
  const { env } = await sandboxed();
  const { files, bytes } = await loaded(['providers', 'list'], env);
  const chunks = ['client', 'library', 'providers', 'rolldown-runtime', 'service'];
  expect(files).toEqual([...START, ...chunks.map((name) => `dist/chunks/${name}`)].sort());
  expect(bytes).toBeLessThan(851_000);
});

test.runIf(process.versions.node.startsWith('20.'))('a short command does not run TurboFan', async () => {
  const { env } = await sandboxed();
  const args = ['--trace-wasm-compilation-times', ENTRY, 'providers', 'list'];
  const { code, stdout } = await launch(process.execPath, args, { env }).ended;
  expect(code).toBe(0);
  expect(stdout).toContain('using Liftoff');
  expect(stdout).not.toContain('using TurboFan');
});
