import { readFile } from 'node:fs/promises';
import { type Jq, loadJq } from 'jq-wasm';
import { messageOf, usageError } from '../core/errors.ts';
import { escapeHostile } from '../core/text.ts';

export interface JqOptions {
  /** True if each line is a separate document (`-o jsonl`), false if the whole output is one document. */
  readonly lines: boolean;
  /** Runs `work`, which blocks this thread. While `work` runs, Ctrl-C ends the process immediately. */
  readonly block: <T>(work: () => T) => T;
  /** Called with each message of jq's `debug` function. */
  readonly note: (text: string) => void;
}

/** Filters JSON documents. Strings are printed without quotes. Other values are printed as JSON on one line. */
export type JqFilter = (
  output: AsyncIterable<string | Uint8Array>,
  options: JqOptions,
) => AsyncGenerator<string>;

/**
 * Lines are filtered in batches, because each run of jq takes about 3 ms. The result must be the same for batches of any size.
 * These definitions therefore disable the functions that read further input, count lines, or stop the run.
 */
const ISOLATED =
  'def input: error("No more inputs"); def inputs: empty; def input_line_number: 0; def halt: error("halt is not supported");';
const BATCH = 256 * 1024;

/**
 * Loads jq and checks the expression. Call this function before sending requests.
 *
 * @throws usage error `BAD_JQ` for an invalid expression, with the position of the error
 */
export async function openJq(expression: string): Promise<JqFilter> {
  // The build puts jq.wasm in the parent folder of the chunks.
  const jq = await loadJq({ wasmBinary: await readFile(new URL('../jq.wasm', import.meta.url)) });
  const query = `${ISOLATED}\n${expression}`;
  // Without input, jq compiles the expression but does not run it.
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
        // As in jq, an error in one document does not stop the filter for later documents. The exit code of jq depends only on
        // the last document.
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
    // jq throws an error if it runs out of memory.
    throw usageError(
      `--jq failed: ${messageOf(error)}`,
      'With -o jsonl, rows are filtered one by one, which needs less memory.',
      'JQ_FAILED',
    );
  }
}

/** Escapes control characters in the output. Tabs are kept, because `@tsv` separates values with tabs. */
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

/** Yields complete lines in batches. A batch ends when it is large, or when no more text is available yet. */
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

/** Resolves to false after all callbacks that are pending now have run. */
function turn(): Promise<false> {
  return new Promise((resolve) => {
    setImmediate(() => resolve(false));
  });
}

/**
 * Converts an error message of jq. The message consists of `jq: error: syntax error, … at <top-level>, line 2, column 3:`, the
 * line with the error, and a marker below the position.
 */
function invalid(stderr: string): Error {
  const [first = '', ...frame] = stderr.replace(/\n?jq: \d+ compile errors?\s*$/, '').split('\n');
  const message = first
    .replace(/^jq: error: /, '')
    // The first line of the query contains our own definitions.
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
    'The expression applies to the output of -o json, or to each row of -o jsonl. List the fields with: cryptodata schema COMMAND',
    'JQ_FAILED',
  );
}
