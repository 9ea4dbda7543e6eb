import { readFileSync } from 'node:fs';
import type { Flag } from '../../cli/define.ts';
import { messageOf, systemCode, usageError } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { kebab, parseFault } from '../../sandbox/faults/fault.ts';
import { FAULT_NAMES, faultKind } from '../../sandbox/faults/kinds.ts';
import { type Parameters, WHEN, WHICH } from '../../sandbox/faults/parameters.ts';
import { readScenario } from '../../sandbox/faults/scenario.ts';
import { SCENARIOS } from '../../sandbox/faults/scenarios.ts';
import type { SandboxFault, Scenario } from '../../sandbox/index.ts';

const NAMES = Object.keys(SCENARIOS);

const fault: Flag<readonly SandboxFault[] | undefined> = {
  written: '--fault <spec>',
  describe:
    'a fault to inject, such as 429:/v1/ledgers:rate=0.1:retry-after=2; repeatable (for the kinds, see sandbox start --help)',
  parse: (given, previous) => {
    const read = parseFault(given);
    if (typeof read === 'string') throw usageError(sentence(read));
    return [...(previous ?? []), read];
  },
};

const scenario: Flag<string | Scenario | undefined> = {
  written: '--scenario <name|file>',
  describe: `scenario to run: ${NAMES.join(', ')}, or a JSON file (see "sandbox scenario --help")`,
  suggests: () => NAMES,
  parse: (given) => {
    if (NAMES.includes(given)) return given;
    const document = fileOf(given);
    try {
      const { faults, steps, seed } = readScenario(document);
      return { faults, steps, ...(seed === undefined ? {} : { seed }) };
    } catch (error) {
      throw usageError(`${given} is not a valid scenario: ${messageOf(error)}`);
    }
  },
};

export const faultFlags = { fault, scenario };

/** Help text that lists every kind of fault with its parameters. */
export const FAULTS_HELP = `--fault is KIND[:PATH][:name=value]…; * in the path matches any text. Kinds:
${FAULT_NAMES.map(kindHelp).join('\n')}
Matching requests:
${wrapped(written({ ...WHICH, ...WHEN }))}
By default: the next request, once.
  Whether a fault applies depends only on the number of matching requests and the
  seed, so a run can be repeated. GET /_sandbox/requests shows the faults of each
  request; GET, POST and DELETE /_sandbox/faults list, add and remove faults while the
  sandbox runs.`;

function kindHelp(name: (typeof FAULT_NAMES)[number]): string {
  const { help, written: label = name, parameters = {} } = faultKind(name);
  // A short form such as 429:/v1/ledgers starts with the status, so do not list the parameter `status` again.
  const { status: _, ...others } = parameters;
  const own = written(name === 'status' ? others : parameters);
  const lines = wrapped(own.length === 0 ? [help] : [`${help}:`, ...own]).split('\n');
  return lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(12)}${line}`).join('\n');
}

function written(parameters: Parameters): string[] {
  return Object.entries(parameters).map(
    ([name, { value }], index, all) => `${kebab(name)}=${value}${index + 1 < all.length ? ',' : ''}`,
  );
}

/** Joins the words into lines of at most 72 characters. Each line is indented by two spaces. */
function wrapped(words: readonly string[]): string {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length > 71) lines.push(`  ${word}`);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join('\n');
}

function fileOf(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const near = NAMES.find((name) => name.startsWith(path)) ?? nearest(path, NAMES);
    if (systemCode(error) !== 'ENOENT') throw usageError(`Cannot read ${path}: ${messageOf(error)}`);
    throw usageError(
      `${path} is neither a file nor one of ${NAMES.join(', ')}`,
      near === undefined ? undefined : `Did you mean ${near}?`,
    );
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw usageError(`${path} is not valid JSON: ${messageOf(error)}`);
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
