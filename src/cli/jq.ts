import { readFile } from 'node:fs/promises';
import { type Jq, loadJq } from 'jq-wasm';
import { messageOf, usageError } from '../core/errors.ts';
import { escapeHostile } from '../core/text.ts';

export interface JqOptions {
  /** Whether each line is its own document (`-o jsonl`), or the whole output is one document. */
  readonly lines: boolean;
  /** Runs work that blocks this thread. During the work, Ctrl-C ends the process immediately. */
  readonly block: <T>(work: () => T) => T;
  /** Receives messages from jq's `debug` function. */
  readonly note: (text: string) => void;
}

/** Filters JSON texts. Strings are printed without quotes, other values as JSON on one line. */
export type JqFilter = (
  output: AsyncIterable<string | Uint8Array>,
  options: JqOptions,
) => AsyncGenerator<string>;

/**
 * Lines are filtered in batches, because each run of jq takes about 3 ms. The result must not depend on the batches, so an
 * expression cannot read the next line, count lines, or stop the run.
 */
const ISOLATED =
  'def input: error("No more inputs"); def inputs: empty; def input_line_number: 0; def halt: error("halt is not supported");';
const BATCH = 256 * 1024;

/** @throws usage error `BAD_JQ` with the position in an invalid expression, before anything is sent */
export async function openJq(expression: string): Promise<JqFilter> {
  // The build puts jq.wasm next to the chunk folder.
  const jq = await loadJq({ wasmBinary: await readFile(new URL('../jq.wasm', import.meta.url)) });
  const query = `${ISOLATED}\n${expression}`;
  // Without input, the expression is compiled but not run.
  const { exitCode, stderr } = jq.raw('', query);
  if (exitCode !== 0) throw invalid(stderr);
  return async function* filter(output, { lines, block, note }) {
    let failure = '';
    const texts = decoded(output);
    for await (const documents of lines ? batches(texts) : [await whole(texts)]) {
      if (documents === '') continue;
      const result = block(() => run(jq, documents, query));
      yield escaped(result.stdout);
      for (const line of result.stderr.split('\n').filter((line) => line !== '')) {
        // As in jq, a document that fails does not stop the others. jq's exit code depends only on the last document.
        if (line.startsWith('jq: error')) failure ||= line;
        else note(escapeHostile(line));
      }
      if (result.exitCode !== 0) failure ||= 'the expression stopped with an error';
    }
    if (failure !== '') throw failed(failure);
  };
}

function run(jq: Jq, documents: string, query: string) {
  try {
    return jq.raw(documents, query, ['-r', '-c']);
  } catch (error) {
    // jq has run out of memory.
    throw usageError(
      `--jq failed: ${messageOf(error)}`,
      'With -o jsonl, rows are filtered one by one, which needs less memory.',
      'JQ_FAILED',
    );
  }
}

/** Escapes control characters in strings from the service, except tabs, which separate the values of `@tsv`. */
function escaped(text: string): string {
  return text === '' ? '' : `${text.split('\t').map(escapeHostile).join('\t')}\n`;
}

async function* decoded(output: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const part of output) {
    yield typeof part === 'string' ? part : decoder.decode(part, { stream: true });
  }
}

async function whole(texts: AsyncIterable<string>): Promise<string> {
  const parts: string[] = [];
  for await (const part of texts) parts.push(part);
  return parts.join('');
}

/** Yields complete lines in batches. A batch ends when it is large, or when no further line is ready. */
async function* batches(texts: AsyncIterable<string>): AsyncGenerator<string> {
  const parts = texts[Symbol.asyncIterator]();
  let batch = '';
  let next = parts.next();
  for (;;) {
    const end = batch.lastIndexOf('\n') + 1;
    const isReady = await Promise.race([next.then(() => true), turn()]);
    if (end > 0 && (!isReady || batch.length > BATCH)) {
      yield batch.slice(0, end);
      batch = batch.slice(end);
    }
    const { done, value } = await next;
    if (done) break;
    batch += value;
    next = parts.next();
  }
  yield batch;
}

/** Resolves to false after all callbacks that are ready now have run. */
function turn(): Promise<false> {
  return new Promise((resolve) => {
    setImmediate(() => resolve(false));
  });
}

/** jq prints `jq: error: syntax error, … at <top-level>, line 2, column 3:`, then the line, and a marker below the position. */
function invalid(stderr: string): Error {
  const [first = '', ...frame] = stderr.replace(/\n?jq: \d+ compile errors?\s*$/, '').split('\n');
  const message = first
    .replace(/^jq: error: /, '')
    // Our own definitions are the first line of the query.
    .replace(/ at <top-level>, line (\d+)/, (_, line: string) => ` at line ${Number(line) - 1}`)
    .replace(/:$/, '');
  return usageError(
    `Invalid --jq expression: ${escapeHostile(message)}`,
    frame.length === 0 ? undefined : escapeHostile(frame.join('\n')),
    'BAD_JQ',
  );
}

function failed(stderr: string): Error {
  const message = stderr.replace(/^jq: error \(at [^)]*\)(?: \(not a string\))?: /, '');
  return usageError(
    `--jq failed: ${escapeHostile(message)}`,
    'The expression applies to the output of -o json, or to each row of -o jsonl. To list the fields: cryptodata schema COMMAND',
    'JQ_FAILED',
  );
}
