import { createHash } from 'node:crypto';
import { int, nullable, text } from '../../api/records.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { toggle } from '../../cli/flags.ts';
import { inputName, streamDeliveries } from '../../cli/json-input.ts';
import type { Note } from '../../cli/outcome.ts';
import { listOf, made } from '../../cli/output.ts';
import type { JsonRecord } from '../../core/json.ts';
import { plural } from '../../core/text.ts';
import { type CheckedDelivery, checkDelivery } from '../../events/check.ts';
import { isInvalid, readSaved, type SavedDelivery, type SavedItem } from '../../events/saved.ts';
import { isSigned, type Signature } from '../../events/signature.ts';
import type { Columns } from '../../formats/columns.ts';
import { signatureFlags, signatureOf } from './shared.ts';

export const verifyDelivery = verb({
  name: 'verify',
  summary: 'Check saved webhook deliveries against the specification',
  about: `FILE is the store that "cryptodata events listen" writes, or a file of envelopes: a single envelope, a JSON array, or JSON Lines with one envelope per line.

The command checks the envelope, the event kind and the fields of "data", and reports unknown fields. If a delivery id is repeated, the command reports whether the bodies differ. The listener itself never stores an id twice. The command sends nothing.

With all three signature flags, the command checks the stored signature against the body. The listener stores signatures only if its own signature flags are set. The specification does not describe signatures.`,
  operands: [{ written: '<file>', describe: 'file of saved deliveries, or - for stdin' }],
  flags: {
    exitCode: toggle('--exit-code', 'exit with 10 if there are findings'),
    ...signatureFlags,
    columns: columnsFlagOf(() => COLUMNS),
  },
  examples: {
    'Check the store of a listener': 'cryptodata events verify deliveries.jsonl',
    'Check signatures too':
      'cryptodata events verify deliveries.jsonl --secret-env WEBHOOK_SECRET --signature-header X-Signature --signature-encoding hex',
    'Make a pipeline fail if there are findings':
      'cryptodata events verify deliveries.jsonl --exit-code --quiet',
  },
  prints: `Records { line, id, event, problem }, one per finding. For a JSON array, "line" is the position in the array. The list is empty if there are no findings.
On stderr: the number of deliveries.`,
  output: [listOf(made({ line: int, id: nullable(text), event: nullable(text), problem: text }))],
  exits: [0, 2, 10],
  async run(context, flags, [source = '-']) {
    const { exitCode } = flags;
    const signature = signatureOf(context, flags);
    const name = inputName(source);
    const chunks = await streamDeliveries(context, source);
    const tally = { deliveries: 0, invalid: 0, findings: 0 };
    const seen: Seen = new Map();

    async function* rows(): AsyncGenerator<JsonRecord> {
      for await (const item of readSaved(chunks, name)) {
        context.signal.throwIfAborted();
        const { id, event, problems } = check(item, seen, signature);
        tally[isInvalid(item) ? 'invalid' : 'deliveries'] += 1;
        tally.findings += problems.length;
        for (const problem of problems) yield { line: item.line, id, event, problem };
        if (tally.deliveries % 1000 === 0) {
          context.progress().update(plural(tally.deliveries, 'delivery', 'deliveries'));
        }
      }
    }
    return {
      kind: 'rows',
      rows: rows(),
      columns: COLUMNS,
      none: '',
      notes: (): Note[] => [{ text: summary(tally.deliveries, tally.invalid, tally.findings, seen.size) }],
      found: () => (exitCode ? tally.findings : 0),
    };
  },
});

const COLUMNS: Columns = {
  table: [{ key: 'line', figure: true }, { key: 'id' }, { key: 'problem' }],
  csv: [{ key: 'line' }, { key: 'id' }, { key: 'event' }, { key: 'problem' }],
};

/** The first occurrence of each delivery id. */
type Seen = Map<string, { readonly line: number; readonly digest: string }>;

function check(item: SavedItem, seen: Seen, signature: Signature | undefined) {
  if (isInvalid(item)) return { id: null, event: null, problems: [item.problem] };
  const checked = checkDelivery(item.body);
  const problems = [
    ...checked.problems,
    ...contradictions(item, checked),
    ...repeats(item, checked, seen),
    ...signatureProblems(item, signature),
  ];
  return { id: checked.id, event: checked.event, problems };
}

/** Compares the stored `id` and `event` with the body, because other commands use the stored values to select deliveries. */
function contradictions({ entry }: SavedDelivery, checked: CheckedDelivery): string[] {
  if (!entry) return [];
  return (['id', 'event'] as const)
    .filter((name) => entry[name] !== checked[name])
    .map(
      (name) =>
        `the ${name} is ${JSON.stringify(entry[name])} in the store, but ${JSON.stringify(checked[name])} in the body`,
    );
}

function repeats({ line, body }: SavedDelivery, { id }: CheckedDelivery, seen: Seen): string[] {
  if (id === null) return [];
  const digest = createHash('sha1').update(body).digest('base64');
  const first = seen.get(id);
  if (!first) {
    seen.set(id, { line, digest });
    return [];
  }
  const bodies = first.digest === digest ? 'the same body' : 'a different body';
  return [`the delivery id is also on line ${first.line}, with ${bodies}`];
}

function signatureProblems({ body, entry }: SavedDelivery, signature: Signature | undefined): string[] {
  if (!signature) return [];
  if (!entry) return ['the file has no headers, so the signature cannot be checked'];
  const value = entry.headers[signature.header.toLowerCase()];
  if (value === undefined) return [`the signature header ${signature.header} is not stored`];
  return isSigned(body, value, signature) ? [] : ['the signature does not match the body and this secret'];
}

function summary(deliveries: number, invalid: number, findings: number, ids: number): string {
  if (deliveries === 0 && invalid === 0) return 'The file contains no deliveries.';
  const lines =
    invalid === 0 ? '' : `, ${plural(invalid, 'line without a delivery', 'lines without a delivery')}`;
  const end = findings === 0 ? 'no findings.' : `${plural(findings, 'finding', 'findings')}.`;
  return `${plural(deliveries, 'delivery', 'deliveries')}, ${plural(ids, 'delivery id', 'delivery ids')}${lines}: ${end}`;
}
