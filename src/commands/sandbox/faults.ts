import { readFileSync } from 'node:fs';
import type { Flag, Values } from '../../cli/define.ts';
import { messageOf, systemCode, usageError } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { parseFault } from '../../sandbox/faults/read.ts';
import { readScenario } from '../../sandbox/faults/scenario.ts';
import { SCENARIOS } from '../../sandbox/faults/scenarios.ts';
import type { Fault, SandboxOptions, Scenario } from '../../sandbox/index.ts';

const NAMES = Object.keys(SCENARIOS);

const fault: Flag<readonly Fault[] | undefined> = {
  written: '--fault <spec>',
  describe:
    'what goes wrong, as 429:/v1/ledgers:rate=0.1:retry-after=2; may be given more than once (kinds: sandbox start --help)',
  parse: (given, previous) => {
    const read = parseFault(given);
    if (typeof read === 'string') throw usageError(sentence(read));
    return [...(previous ?? []), read];
  },
};

const scenario: Flag<string | Scenario | undefined> = {
  written: '--scenario <name|file>',
  describe: `what goes wrong when: ${NAMES.join(', ')}, or a JSON file (see sandbox scenario)`,
  parse: (given) => {
    if (NAMES.includes(given)) return given;
    const read = readScenario(fileOf(given));
    if (typeof read === 'string') throw usageError(`${given} is no scenario: ${read}`);
    return {
      faults: read.faults,
      steps: read.steps,
      ...(read.seed === undefined ? {} : { seed: read.seed }),
    };
  },
};

/** What goes wrong, for `sandbox` and `sandbox exec` alike. */
export const faultFlags = { fault, scenario };

export function faultOptions(flags: Values<typeof faultFlags>): SandboxOptions {
  return {
    ...(flags.fault === undefined ? {} : { faults: flags.fault }),
    ...(flags.scenario === undefined ? {} : { scenario: flags.scenario }),
  };
}

/** For the help of those who take `--fault`. */
export const FAULTS_HELP = `--fault is KIND[:PATH][:name=value]…; * in the path stands for any text. Kinds:
  429, 500, …   an error in the shape of its domain: code=, retry-after=SECONDS,
                retry-header=NAME, retry-as=date
  html          a page of a proxy: status=502
  slow          delay=MS before the headers, drip=MS between pieces of chunk=BYTES
  torn          the body is cut: at=BYTES, length=right|wrong (content-length)
  reset         the connection is reset before the request, or in the body: at=BYTES
  lost          the request is carried out, and its answer is lost
  lost-refresh  the same for a refresh, so that its refresh token is a reused one
  expired       the access token expires; revoked: its whole grant ends
  drift         before the page: rows=insert|backdate|delete, count=N
  ties          legs of the same time come in another order each time
  duplicate, reorder   webhook deliveries come twice, or after the next one
Which requests: method=, grant= (of the token endpoint), nth=3 or nth=2,4, every=N,
rate=0.1, times=N|all, after=N requests, after-ms=, for-ms=; else the next one, once.
  Each fault counts the requests that it is about and decides by that number and the
seed, so that a run repeats. GET /_sandbox/requests says which request met which fault;
POST, GET and DELETE /_sandbox/faults change them while the sandbox runs.`;

function fileOf(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const near = NAMES.find((name) => name.startsWith(path)) ?? nearest(path, NAMES);
    if (systemCode(error) !== 'ENOENT') throw usageError(`${path} cannot be read: ${messageOf(error)}`);
    throw usageError(
      `It is neither a file nor one of ${NAMES.join(', ')}`,
      near === undefined ? undefined : `Did you mean ${near}?`,
    );
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw usageError(`${path} is no JSON: ${messageOf(error)}`);
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
