import { describe, expect, test } from 'vitest';
import { needs } from '../needs.ts';
import { consent } from './browser.ts';
import { bash, type Env, filesIn, run, sandboxed } from './harness.ts';
import { newcomer } from './newcomer.ts';
import { stubLedgers } from './stub.ts';
import { type Terminal, terminal } from './tmux.ts';

const ESC = '\u001b';
const sandbox = await sandboxed({ rows: 400 });
const { env } = sandbox;

/** Removes the escape codes for colours and bold text. Tests expect no other escape codes. */
function withoutColours(text: string): string {
  return text.replaceAll(new RegExp(`${ESC}\\[[\\d;]*m`, 'g'), '');
}

const spam = await stubLedgers([
  row('1', '-1.500000000000000001', `${ESC}[31mRED${ESC}[0m`, `${ESC}]0;owned\u0007${ESC}[2J`),
  row('2', '-0.000000000000000001', '=HYPERLINK("http://claim.example","Claim")', '=1+1'),
  row('3', '123456789012345678.123456789012345678', '\u202eCDSU', 'C1 \u009b2K'),
  row('4', '7', '免费领取', 'wide'),
]);

function row(id: string, quantity: string, symbol: string, name: string): string {
  return JSON.stringify({
    id: `led_${id}`,
    timestamp: 1_750_000_000_000,
    type: 'incoming',
    quantity,
    afterBalance: quantity,
    walletId: 'wal_1',
    label: name,
    asset: { symbol, name },
  });
}

describe('malicious text from the service', () => {
  test('escapes malicious text in a piped table', async () => {
    const { stdout } = await run(['ledgers'], { env: spam.env });
    expect(stdout).not.toContain(ESC);
    for (const shown of ['\\u001b[31mRED', '\\u202eCDSU', '\\u009b2K', '=HYPERLINK('])
      expect(stdout).toContain(shown);
    for (const raw of ['\u0007', '\u009b', '\u202e']) expect(stdout.includes(raw)).toBe(false);
  });

  test('adds the formula guard to malicious CSV cells, but not to negative decimals', async () => {
    const { stdout } = await run(['ledgers', '--csv', '--columns', 'quantity,asset.symbol,label'], {
      env: spam.env,
    });
    expect(stdout.split('\n').slice(1, 3)).toEqual([
      '-1.500000000000000001,\\u001b[31mRED\\u001b[0m,\\u001b]0;owned\\u0007\\u001b[2J',
      `-0.000000000000000001,"'=HYPERLINK(""http://claim.example"",""Claim"")",'=1+1`,
    ]);
  });

  test('escapes malicious text in `ledgers negative` and in error messages', async () => {
    const record = await run(['ledgers', 'negative'], { env: spam.env });
    const single = await run(['profiles', 'use', `${ESC}[2J`], { env });
    for (const { stdout, stderr } of [record, single]) expect((stdout + stderr).includes(ESC)).toBe(false);
  });
});

describe('colour', () => {
  const negatives = 'ledgers list --lt-after-balance 0';

  test('prints piped output without colours by default, and with colours if FORCE_COLOR is set', async () => {
    const plain = await run(negatives.split(' '), { env });
    expect(plain.stdout).not.toContain(ESC);
    const forced = await run(negatives.split(' '), { env: { ...env, FORCE_COLOR: '1' } });
    expect(forced.stdout).toContain(`${ESC}[31m-`);
    expect(withoutColours(forced.stdout)).toBe(plain.stdout);
    const both = await run(negatives.split(' '), { env: { ...env, FORCE_COLOR: '1', NO_COLOR: '1' } });
    expect(both.stdout).toBe(plain.stdout);
  });

  test('prints JSON, JSONL and CSV without colours', async () => {
    for (const format of ['json', 'jsonl', 'csv']) {
      const { stdout } = await run([...negatives.split(' '), '-o', format], {
        env: { ...env, FORCE_COLOR: '1' },
      });
      expect(stdout).toMatch(/afterBalance[\s\S]*-\d/);
      expect(stdout).not.toContain(ESC);
    }
  });
});

describe.skipIf(!needs('tmux', 'script'))('the tool on a real terminal', () => {
  async function shown(line: string, columns: number, more: Env = {}, on: Env = env): Promise<Terminal> {
    const screen = terminal(`cryptodata ${line}`, { columns }, { ...on, ...more });
    await screen.shows(/^exit=0$/m);
    return screen;
  }

  test('aligns rows and shows full values in a terminal 200 characters wide', async () => {
    const screen = (await shown('ledgers list --limit 20 --quiet --full', 200)).screen().split('\n');
    const { stdout } = await run(['ledgers', 'list', '--limit', '20', '--jsonl'], { env });
    const served: Record<string, string>[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const [heads = '', line = '', ...below] = screen.filter((text) => !text.startsWith('exit='));
    const rows = below.slice(0, -2);
    expect(below.slice(-2)).toEqual(['', expect.stringMatching(/^Times are in \S+\.$/)]);
    expect(heads).toMatch(/^time +type +quantity +asset/);
    expect(line).toMatch(/^─+( +─+)+$/);
    expect(rows).toHaveLength(20);
    const end = heads.indexOf('quantity') + 'quantity'.length;
    for (const [index, text] of rows.entries()) {
      expect(text.slice(0, end).trimEnd().endsWith(` ${served[index]?.['quantity']}`), text).toBe(true);
      expect(text.endsWith(`  ${served[index]?.['id']}`), text).toBe(true);
      expect(text).not.toContain('…');
    }
  });

  test('shows full amounts in a terminal 60 characters wide, and lists the hidden columns', async () => {
    const screen = (await shown('ledgers list --limit 20 --quiet --full', 60)).screen();
    const { stdout } = await run(['ledgers', 'list', '--limit', '20', '--jsonl'], { env });
    const served: Record<string, string>[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const { quantity } of served) expect(screen).toMatch(new RegExp(`(^|\\s)${quantity}(\\s|$)`, 'm'));
    const rounded = (await shown('ledgers list --limit 20 --quiet', 60)).screen();
    expect(rounded.replaceAll(/\s+/g, ' ')).toMatch(
      /Hidden to fit the terminal: value, .*balance after, .*\. To show them, use --no-truncate/,
    );
    for (const line of `${screen}\n${rounded}`.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });

  test('if the terminal is 60 characters wide, shortens text with an ellipsis and keeps the rows aligned', async () => {
    const columns = 'ledgers --columns quantity,asset.name,id --quiet --full';
    const lines = (await shown(columns, 60, {}, spam.env)).screen().split('\n').slice(0, 6);
    const [heads = ''] = lines;
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
    const at = heads.indexOf(' id');
    expect(lines.slice(2, 5).map((line) => line.slice(at))).toEqual([' led_1', ' led_2', ' led_3']);
    expect(lines.join('\n')).toContain('123456789012345678.123456789012345678');
    expect(lines.join('\n')).toContain('…');
  });

  test('prints colour codes, but no other escape sequences', async () => {
    const screen = await shown('ledgers --quiet', 200, {}, spam.env);
    expect(screen.colours()).toMatch(new RegExp(`${ESC}\\[31m *-1\\.5 `));
    expect(withoutColours(screen.colours())).not.toContain(ESC);
    expect(screen.screen()).toContain('\\u001b[31mRED');
    const raw = await bash("script -qec 'cryptodata ledgers --quiet' /dev/null | cat", {
      env: { ...spam.env, TERM: 'xterm-256color', PAGER: 'cat' },
    });
    expect(raw.stdout).toMatch(new RegExp(`${ESC}\\[31m *-1\\.5`));
    expect(withoutColours(raw.stdout)).not.toContain(ESC);
  });

  test('if NO_COLOR is set, prints the usual text without colours', async () => {
    const plain = await shown('ledgers --quiet', 200, { NO_COLOR: '1' }, spam.env);
    expect(plain.colours()).not.toContain(ESC);
    expect(plain.screen()).toBe((await shown('ledgers --quiet', 200, {}, spam.env)).screen());
  });

  describe('the pager', () => {
    const paging = { PAGER: "sed 's/^/paged /'", CI: undefined };

    test('a table longer than the terminal is shown in a pager, with the notes below the table', async () => {
      const screen = await shown('ledgers --limit 60', 100, paging);
      expect(screen.screen()).toMatch(/^paged time .*^paged .*Times are in .*^60 of 400 legs shown/ms);
      expect(screen.screen().match(/^paged 20/gm)).toHaveLength(60);
    });

    test.each([
      ['for a table that fits', 'ledgers --limit 5', {}],
      ['with --no-pager', 'ledgers --limit 60 --no-pager', {}],
      ['with an empty PAGER', 'ledgers --limit 60', { PAGER: '' }],
      ['for CSV', 'ledgers --limit 60 --csv', {}],
      ['in CI', 'ledgers --limit 60', { CI: '1' }],
    ])('no pager is started %s', async (_, line, more) => {
      const screen = (await shown(line, 100, { ...paging, ...more })).screen();
      expect(screen).not.toContain('paged');
      expect(screen).toMatch(/shown/);
    });

    test('prints without a pager if the pager cannot be started', async () => {
      const screen = await shown('ledgers --limit 60', 100, { ...paging, PAGER: 'no-such-pager' });
      expect(screen.screen().match(/^20\d\d-/gm)).toHaveLength(60);
    });

    test('exits with 0 if the pager is closed early', async () => {
      const screen = await shown('ledgers --limit 60', 100, { ...paging, PAGER: 'head -2' });
      expect(screen.screen()).toMatch(/^time /m);
    });
  });

  test('login accepts a redirect URL that the user types at the prompt', async () => {
    const { env: mine } = await newcomer(sandbox, { cheap: true });
    const screen = terminal('cryptodata login --no-browser', { columns: 100 }, { ...mine, CI: undefined });
    await screen.shows(/paste\s+the\s+address\s+of\s+that\s+page/);
    const url =
      screen
        .screen()
        .split('\n')
        .slice(1)
        .join('')
        .match(/https?:\S+?(?=Waiting|\s)/)?.[0] ?? '';
    screen.type('nonsense');
    screen.press('Enter');
    await screen.shows(/not the final address of the browser/);
    screen.type(await consent(url));
    screen.press('Enter');
    await screen.shows(/^exit=0$/m);
    expect(screen.screen()).toContain('Meridian Trading & Sons');
    expect((await run(['ledgers', '--json'], { env: mine })).code).toBe(0);
  });

  test('after Ctrl-C, `sandbox exec` exits with the exit code of the inner command', async () => {
    const command = `sh -c 'trap "exit 7" INT; echo up; while :; do sleep 0.1; done'`;
    const screen = terminal(`cryptodata sandbox exec --rows 10 -- ${command}`, { columns: 100 });
    await screen.shows(/^up$/m);
    screen.press('C-c');
    await screen.shows(/exit=7$/m);
  });

  test('exits with 130 after Ctrl-C at a prompt', async () => {
    const { env: mine, directory } = await newcomer(sandbox);
    const screen = terminal(
      'cryptodata login',
      { columns: 100 },
      { ...mine, CRYPTODATA_CLIENT_SECRET: undefined, CI: undefined },
    );
    await screen.shows(/Client secret/);
    screen.press('C-c');
    await screen.shows(/^exit=130$/m);
    expect(filesIn(directory)).toEqual(['config.toml']);
  });
});
