import { constants, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shellWord } from '../../src/core/text.ts';
import { freePort } from '../free-port.ts';
import { asked, ENTRY, launch, ROOT, run, sandboxed, start, temporary } from './harness.ts';

describe('sandbox', () => {
  test('the command "sandbox" prints the variables to set in another terminal, and runs until Ctrl-C', async () => {
    const running = start(['sandbox', '--port', '0', '--rows', '30']);
    const url = (await running.said(/http:\/\/127\.0\.0\.1:\d+/)).trim();
    const providers = await run(['providers', 'list', '--json'], { env: { CRYPTODATA_BASE_URL: url } });
    expect(JSON.parse(providers.stdout).length).toBeGreaterThan(1);

    const second = await run(['sandbox', '--port', new URL(url).port]);
    expect([second.code, second.stdout]).toEqual([2, '']);
    expect(second.stderr).toMatch(/is already in use\nChoose another port, or use --port 0/);

    running.child.kill('SIGINT');
    const { code, stdout } = await running.ended;
    // Ctrl-C is the normal way to stop the sandbox.
    expect(code).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
    const lines = stdout.trimEnd().split('\n');
    expect(lines.every((line) => /^(# )?export CRYPTODATA_[A-Z_]+=\S+$/.test(line))).toBe(true);
    expect(lines).toContain(`export CRYPTODATA_BASE_URL=${url}`);
    expect(lines.filter((line) => line.startsWith('# '))).toEqual(
      ['ACCESS_TOKEN', 'API_KEY', 'WORKSPACE'].map((name) => expect.stringContaining(`_${name}=`)),
    );
  });
});

describe('sandbox exec', () => {
  test.skipIf(process.platform !== 'linux')(
    'sandbox exec leaves the stdin of its command in blocking mode',
    async () => {
      // If stdin is non-blocking, a shell fails with EAGAIN while it waits for its next line.
      const script = "sleep 1; sed -n 's/^flags:\\s*//p' /proc/self/fdinfo/0";
      const { stdout } = await run(['sandbox', 'exec', '--rows', '1', '--', 'sh', '-c', script], {
        input: 'x',
      });
      expect(Number.parseInt(stdout, 8)).toBeGreaterThan(0);
      expect(Number.parseInt(stdout, 8) & constants.O_NONBLOCK).toBe(0);
    },
  );

  test('sandbox exec passes a valid access token to the inner command', async () => {
    const line = ['--', process.execPath, ENTRY, 'ledgers', '--limit', '3', '--json'];
    const { code, stdout } = await run(['sandbox', 'exec', '--rows', '10', ...line]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(3);
  });

  test('sandbox exec hides user settings from the inner command, and deletes temporary files', async () => {
    const mine = { CRYPTODATA_API_KEY: 'mine', CRYPTODATA_WORKSPACE: 'ws_mine', CRYPTODATA_PROFILE: 'mine' };
    const { code, stdout } = await run(['sandbox', 'exec', '--rows', '10', '--', 'sh', '-c', 'env'], {
      env: mine,
    });
    expect(code).toBe(0);
    expect(stdout).not.toContain('mine');
    const directory = /^CRYPTODATA_CONFIG_DIR=(.*)$/m.exec(stdout)?.[1] ?? '';
    expect(directory).not.toBe('');
    expect(existsSync(dirname(directory))).toBe(false);
  });

  test('sandbox exec puts its own version of cryptodata on the PATH', async () => {
    const { stdout } = await run([
      'sandbox',
      'exec',
      '--rows',
      '10',
      '--',
      'sh',
      '-c',
      'cat "$(command -v cryptodata)"',
    ]);
    expect(stdout).toContain(shellWord(ENTRY));
  });

  test('with --auto-consent, a login shows no consent page', async () => {
    const script = `cryptodata config set redirect_uri http://127.0.0.1:$PORT/callback --quiet
      unset CRYPTODATA_ACCESS_TOKEN
      cryptodata login --no-browser --quiet --json 2> url.txt > session.json & login=$!
      until url=$(grep -o 'http://[^ "\\\\]*/oidc/auth[^ "\\\\]*' url.txt); do kill -0 $login || exit 1; done
      curl -sL --cookie-jar jar "$url" > page.html
      wait $login && cat session.json && cryptodata whoami --json && cryptodata logout --json`;
    const { code, stdout, stderr } = await launch(
      process.execPath,
      [
        `${ROOT}bin/cryptodata.js`,
        'sandbox',
        'exec',
        '--auto-consent',
        '--consent-as',
        'accountant',
        '--rows',
        '10',
        '--',
        'bash',
        '-c',
        script,
      ],
      { cwd: temporary(), env: { PORT: String(await freePort()) } },
    ).ended;
    expect(code, stderr).toBe(0);
    expect(stdout.match(/"workspaceName": "Meridian Trading & Sons"/g)).toHaveLength(2);
    expect(stdout.match(/"role": "accountant"/g)).toHaveLength(2);
    expect(stdout).toContain('"revoked": true');
  });

  test.each([
    ['--consent-as', 'king', 'Unknown member "king"; use owner or ada@meridian.example in ws_'],
    ['--client-scopes', 'contacts:read,all', 'Unknown scope "all"; the client cannot be registered with it'],
  ])('sandbox exec rejects %s %s', async (flag, value, says) => {
    const { code, stderr } = await run(['sandbox', 'exec', flag, value, '--', 'true']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  });
});

describe('the flag -p with sandbox exec', () => {
  test.each([
    ['before the command', ['-p', 'acme', 'sandbox', 'exec']],
    ['after the command', ['sandbox', 'exec', '--profile', 'acme']],
  ])('sandbox exec rejects -p %s, because the sandbox has its own login', async (_, words) => {
    const { code, stdout, stderr } = await run([...words, '--', 'echo', 'ran']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('sandbox exec cannot be used with -p');
    expect(stderr).toContain('--credential none');
  });

  test('if the inner command uses -p, the error suggests omitting -p', async () => {
    const { code, stderr } = await run([
      'sandbox',
      'exec',
      '--rows',
      '1',
      '--',
      'cryptodata',
      'whoami',
      '-p',
      'acme',
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'Profile acme does not exist\nOmit -p to use the credentials in the environment.',
    );
  });
});

describe('faults in sandbox exec', () => {
  test('sandbox exec applies both --fault and --scenario', async () => {
    const file = join(temporary(), 'mine.json');
    writeFileSync(file, JSON.stringify({ faults: [{ path: '/v1/holdings', status: 403, times: 'all' }] }));
    const flags = ['--rows', '5', '--scenario', file, '--fault', '409:/v1/users/me:times=all'];
    const script = 'cryptodata api GET /v1/holdings; echo $?; cryptodata api GET /v1/users/me; echo $?';
    const { code, stdout, stderr } = await run(['sandbox', 'exec', ...flags, '--', 'bash', '-c', script]);
    expect([code, stdout]).toEqual([0, '4\n6\n']);
    expect(stderr.match(/An injected fault/g)).toHaveLength(2);
  });

  test('sandbox exec exits with 2 for a fault with an unknown parameter', async () => {
    const { code, stderr } = await run(['sandbox', 'exec', '--fault', '429:/v1:retry-afer=1', '--', 'true']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean retry-after?')]);
  });
});

describe('--debug', async () => {
  const sandbox = await sandboxed({ rows: 10 });
  const { CRYPTODATA_ACCESS_TOKEN: token = '', ...addresses } = sandbox.env;

  test('--debug logs each request, but no credentials', async () => {
    const bearer = await run(['ledgers', 'get', 'nosuch', '--debug'], { env: sandbox.env });
    expect(bearer.stderr).toMatch(/^\[debug\] GET http:\S+\/v1\/ledgers\/nosuch 404 \d+ ms$/m);
    const key = {
      ...addresses,
      CRYPTODATA_API_KEY: sandbox.apiKey,
      CRYPTODATA_WORKSPACE: sandbox.workspaceId,
    };
    const keyed = await run(['ledgers', 'list', '--debug'], { env: key });
    expect(keyed.stderr).toMatch(/^\[debug\] GET \S+wid=/m);
    for (const text of [bearer.stderr, bearer.stdout, keyed.stderr, keyed.stdout]) {
      expect(text.includes(token) || text.includes(sandbox.apiKey)).toBe(false);
    }
    // One of the three requests reads the account names for the table.
    expect(asked(sandbox)).toHaveLength(3);
  });

  test('--debug prints the stack trace of an error', async () => {
    const quiet = await run(['ledgers', 'get', 'nosuch'], { env: sandbox.env });
    expect(quiet.stderr).not.toContain('    at ');
    const loud = await run(['ledgers', 'get', 'nosuch', '--debug'], { env: sandbox.env });
    expect(loud.stderr).toContain('    at ');
  });
});

describe('sandbox snapshot', () => {
  test('the command "sandbox snapshot" saves and restores a state, from which sandbox exec can start', async () => {
    const file = join(temporary(), 'before.json');
    const sandbox = await sandboxed({ rows: 12 });
    const { env } = sandbox;
    const saved = await run(['sandbox', 'snapshot', 'save', file, '--json'], { env });
    expect([saved.code, JSON.parse(saved.stdout)]).toEqual([
      0,
      { file, sandbox: sandbox.url, bytes: statSync(file).size },
    ]);
    sandbox.ledgers.insert({}, {});
    const again = await run(['sandbox', 'snapshot', 'save', file], { env });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('already exists')]);
    expect((await run(['sandbox', 'snapshot', 'load', file], { env })).code).toBe(0);
    expect(sandbox.truth.ledgers).toBe(12);
    const flags = ['sandbox', 'exec', '--snapshot', file];
    const script = 'cryptodata ledgers list --all --json | jq length';
    expect((await run([...flags, '--', 'sh', '-c', script])).stdout).toBe('12\n');
    const other = await run([...flags, '--seed', 'x', '--', 'true']);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('--snapshot cannot be combined with --seed'),
    ]);
  });

  test('the command "sandbox snapshot" reports a broken file and a missing base_url', async () => {
    const file = join(temporary(), 'broken.json');
    writeFileSync(file, '{}');
    const { env } = await sandboxed({ rows: 1 });
    for (const args of [
      ['sandbox', 'snapshot', 'load', file],
      ['sandbox', 'exec', '--snapshot', file, '--', 'true'],
    ]) {
      const { code, stderr } = await run(args, { env });
      expect([code, stderr]).toEqual([2, expect.stringContaining(`Cannot load ${file}: Not a snapshot`)]);
    }
    const none = await run(['sandbox', 'snapshot', 'save', file, '--overwrite']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('base_url is not set')]);
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });
});
