import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { JsonRecord } from '../src/core/json.ts';
import { parseJson } from '../src/core/json.ts';
import { atEnd } from './at-end.ts';
import { unavailable } from './needs.ts';
import { THOROUGH } from './runs.ts';

/** The folder that `scripts/install-spark.sh` fills. */
export const SPARK = resolve(process.env['SPARK_FOLDER'] ?? 'node_modules/.cache/spark');

/** Returns whether Spark and deltalake are installed. If they are missing in CI, throws an error. */
export function hasSpark(): boolean {
  return (
    existsSync(join(SPARK, 'installed')) || unavailable('not installed: Spark (scripts/install-spark.sh)')
  );
}

/** A program that reads Delta tables, independently of this tool. The program runs one query at a time. */
export interface TableReader {
  /** Returns the rows of a query. `{name}` in the query stands for the table at that path. */
  ask(question: Question): Promise<readonly JsonRecord[]>;
  /** Rewrites the files of a table with `OPTIMIZE … ZORDER BY (timestamp)`. */
  optimize(path: string): Promise<void>;
}

export interface Question {
  readonly sql: string;
  /** The tables of the query: the folder of each table, and its version (default: the latest). */
  readonly tables: Readonly<Record<string, { readonly path: string; readonly version?: number }>>;
}

/** Java options that make short programs start sooner. */
const QUICK = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto';

function sparkParts() {
  const jars = readdirSync(join(SPARK, 'jars')).map((name) => join(SPARK, 'jars', name));
  const library = join(SPARK, 'python', 'lib');
  const [version = ''] = readdirSync(library);
  const home = join(library, version, 'site-packages', 'pyspark');
  return { jars: jars.join(','), env: { SPARK_HOME: home, SPARK_LOCAL_IP: '127.0.0.1' } };
}

/** Settings that make small queries faster. These settings do not change results. */
const SMALL = {
  'spark.ui.enabled': 'false',
  'spark.sql.codegen.wholeStage': 'false',
  'spark.sql.shuffle.partitions': '2',
  'spark.databricks.delta.snapshotPartitions': '1',
};

/** Runs a program with `spark-submit` and two executor processes. Returns its output. */
export async function submitToSpark(program: string, args: readonly string[]): Promise<string> {
  const { jars, env } = sparkParts();
  const settings = Object.entries({ ...SMALL, 'spark.executor.extraJavaOptions': QUICK });
  const options = [
    ...['--master', 'local-cluster[2,1,1024]', '--jars', jars, '--driver-java-options', QUICK],
    ...settings.flatMap(([name, value]) => ['--conf', `${name}=${value}`]),
  ];
  const bin = join(SPARK, 'python', 'bin');
  const { stdout } = await promisify(execFile)(join(bin, 'spark-submit'), [...options, program, ...args], {
    env: { ...process.env, ...env, PYSPARK_PYTHON: join(bin, 'python') },
    maxBuffer: 1e8,
  });
  return stdout;
}

/** Starts Spark on this machine with two executor processes. */
function startSpark(): TableReader {
  const { jars, env } = sparkParts();
  return start('spark.py', {
    ...{ ...env, SPARK_TEST_JARS: jars, SPARK_TEST_JAVA: QUICK },
    PYSPARK_SUBMIT_ARGS: `--driver-java-options "${QUICK}" pyspark-shell`,
  });
}

/**
 * The programs that tests start to read tables. Spark starts only with THOROUGH=1, because it uses more processor time than any
 * other program of the tests.
 */
export const READERS = [
  ['delta-rs', startDeltaRs],
  ...(THOROUGH ? [['Spark', startSpark] as const] : []),
] as const;

/** Starts delta-rs, an implementation of Delta tables in Rust. */
export function startDeltaRs(): TableReader {
  return start('deltars.py', {});
}

function start(script: string, env: NodeJS.ProcessEnv): TableReader {
  const python = join(SPARK, 'python', 'bin', 'python');
  const path = fileURLToPath(new URL(`delta/${script}`, import.meta.url));
  const child: ChildProcess = spawn(python, [path], {
    env: { ...process.env, ...env, PYSPARK_PYTHON: python },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr?.on('data', (chunk) => {
    complaints = (complaints + String(chunk)).slice(-4000);
  });
  atEnd(() => void child.stdin?.end());
  const waiting: ((line: string | undefined) => void)[] = [];
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on('line', (line) => line.startsWith('{') && waiting.shift()?.(line));
  let isClosed = false;
  lines.on('close', () => {
    isClosed = true;
    for (const settle of waiting.splice(0)) settle(undefined);
  });
  const send = async (question: object) => {
    const line = await new Promise<string | undefined>((settle) => {
      if (isClosed) return settle(undefined);
      waiting.push(settle);
      child.stdin?.write(`${JSON.stringify(question)}\n`);
    });
    const { rows, error } = parseJson(line ?? '{}') as JsonRecord;
    if (Array.isArray(rows)) return rows as JsonRecord[];
    throw new Error(`${script}: ${String(error ?? complaints)}`);
  };
  return { ask: send, optimize: async (optimize) => void (await send({ optimize })) };
}
