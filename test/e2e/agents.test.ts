import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { describe, expect, test } from 'vitest';
import { TOPICS, TREE } from '../../src/commands/tree.ts';
import { bash, ROOT, run, sandboxed, temporary } from './harness.ts';

describe('cryptodata commands', () => {
  test('the output of "cryptodata commands" covers every noun, with flags and exit codes', async () => {
    const { code, stdout, stderr } = await run(['commands', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { version, globalFlags, commands } = JSON.parse(stdout);
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(globalFlags.map(({ written }: { written: string }) => written)).toContain('-o, --output <format>');
    const nouns = new Set(commands.map(({ command }: { command: string }) => command.split(' ')[0]));
    expect([...nouns].sort()).toEqual(TREE.map(({ name }) => name).sort());
    const list = commands.find(({ command }: { command: string }) => command === 'ledgers list');
    expect(list).toMatchObject({ isDefault: true, reads: true, schema: 'cryptodata schema ledgers list' });
    expect(list.flags).toContainEqual({
      name: 'types',
      written: '--types <types>',
      alias: null,
      summary: 'legs of these types: incoming, outgoing, fee',
      schema: { type: 'array', items: { enum: ['incoming', 'outgoing', 'fee'] } },
      default: null,
    });
    expect(list.exits).toContainEqual({ code: 3, meaning: 'not logged in, or 401' });
  });

  test('"cryptodata commands --jsonl" prints one command per line', async () => {
    const { stdout } = await run(['commands', '--jsonl']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ command }) => command)).toContain('ledgers negative');
  });
});

describe('cryptodata schema', () => {
  test('every command with output has a valid JSON Schema', async () => {
    const { stdout } = await run(['schema', '--json']);
    const names: string[] = JSON.parse(stdout).map(({ command }: { command: string }) => command);
    expect(names.length).toBeGreaterThan(50);
    const { documentSchema, lineSchema } = await import('../../src/commands/schema.ts');
    const validator = new AjvJsonSchemaValidator();
    for (const { load } of [...TREE, ...TOPICS]) {
      for (const { output, reads } of (await load()).verbs) {
        for (const make of output ? [documentSchema, lineSchema] : []) {
          // `getValidator` throws if the schema is invalid.
          validator.getValidator(make(output ?? [], reads === true));
        }
      }
    }
  });

  test('"cryptodata schema" prints the schema of a command, or of the default command of a noun', async () => {
    const schema = JSON.parse((await run(['schema', 'ledgers', 'negative'])).stdout);
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema.title).toBe('cryptodata ledgers negative -o json');
    const [list, several] = schema.anyOf;
    const { began } = list.items.properties;
    expect(began.type).toEqual(['object', 'null']);
    expect(began.properties.afterBalance).toEqual({ type: ['string', 'null'] });
    expect(list.items.additionalProperties).toBe(false);
    expect(several.items.required).toContain('profile');
    expect(JSON.parse((await run(['schema', 'ledgers'])).stdout).title).toBe(
      'cryptodata ledgers list -o json',
    );
  });

  test('"cryptodata schema" accepts the name of a command as one quoted operand', async () => {
    const quoted = await run(['schema', 'ledgers negative']);
    expect(quoted).toEqual(await run(['schema', 'ledgers', 'negative']));
  });

  test('"cryptodata schema --line" prints the schema of one JSONL line', async () => {
    const schema = JSON.parse((await run(['schema', 'audit', '--line'])).stdout);
    const line = { type: 'object', required: expect.arrayContaining(['severity']) };
    expect(schema).toMatchObject({
      title: 'cryptodata audit run -o jsonl',
      anyOf: [line, { ...line, description: 'with several profiles' }],
    });
  });

  test('"cryptodata schema" exits with 5 for an unknown command or a command without a schema', async () => {
    const unknown = await run(['schema', 'ledgrs']);
    expect(unknown.code).toBe(5);
    expect(unknown.stderr).toContain('Did you mean "ledgers"?');
    const set = await run(['schema', 'config', 'set']);
    expect(set.code).toBe(5);
    expect(set.stderr).toContain('"cryptodata config set" has no schema');
  });
});

test('every example in the skill succeeds', async () => {
  const sandbox = await sandboxed({ rows: 250 });
  const text = readFileSync(join(ROOT, 'skills', 'cryptodata', 'SKILL.md'), 'utf8');
  expect(text).toMatch(/^---\nname: cryptodata\ndescription: .{50,1024}\n---\n/);
  const lines = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  );
  expect(lines.length).toBeGreaterThan(14);
  const { env } = sandbox;
  const cwd = temporary();
  for (const line of lines) {
    const { code, stdout, stderr } = await bash(line, { env, cwd });
    expect(code, `${line}\n${stderr}`).toBe(0);
    expect(stdout, line).not.toBe('');
  }
});
