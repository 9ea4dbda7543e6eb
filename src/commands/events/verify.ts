import { createHash } from 'node:crypto';
import { columnsFlag } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { toggle } from '../../cli/flags.ts';
import { nameOf, streamInput } from '../../cli/json-input.ts';
import type { Note } from '../../cli/outcome.ts';
import type { JsonRecord } from '../../core/json.ts';
import { type Checked, checkDelivery } from '../../events/check.ts';
import { isBroken, readSaved, type SavedDelivery, type SavedItem } from '../../events/saved.ts';
import { isSigned, type Signature } from '../../events/signature.ts';
import type { Columns } from '../../formats/columns.ts';
import { signatureFlags, signatureOf } from './shared.ts';
import { counted } from './text.ts';

export const verify = verb({
  name: 'verify',
  summary: 'Check saved webhook deliveries against the specification; nothing is sent',
  about: `FILE is the store of events listen, JSON Lines of envelopes, one envelope, or a JSON array of them.

Each delivery is held against the envelope, the event kinds and the fields of data of the specification; a field that is not in it is told as well. A delivery id that comes again is told, and whether its body is another: a listener takes the second for a repeat of the first.

With all three signature flags, the signature that the store kept is held against the body: events listen keeps the header that it was told of. The specification shows no signing: what the signature is, is your own setting.`,
  operands: [{ written: '<file>', describe: 'file of saved deliveries, or - for stdin' }],
  flags: {
    exitCode: toggle('--exit-code', 'end with 10 where anything is found'),
    ...signatureFlags,
    columns: columnsFlag,
  },
  examples: [
    { says: 'What a listener has stored', line: 'cryptodata events verify deliveries.jsonl' },
    {
      says: 'With their signatures',
      line: 'cryptodata events verify deliveries.jsonl --secret-env WEBHOOK_SECRET --signature-header X-Signature --signature-encoding hex',
    },
    { says: 'In a pipeline', line: 'cryptodata events verify deliveries.jsonl --exit-code --quiet' },
  ],
  prints: `Records { line, id, event, problem }, one for each thing that was found; line is the place in an array. An empty list where nothing was found.
On stderr: how many deliveries were looked at.`,
  exits: [0, 2, 10],
  async run(context, flags, [source = '-']) {
    const { exitCode, columns } = flags;
    const signature = signatureOf(context, flags);
    const name = nameOf(source);
    const chunks = await streamInput(context, source, 'deliveries');
    const tally: Tally = { deliveries: 0, broken: 0, findings: 0, ids: 0 };
    const seen = new Map<string, Seen>();

    async function* rows(): AsyncGenerator<JsonRecord> {
      for await (const item of readSaved(chunks, name)) {
        context.signal.throwIfAborted();
        const { id, event, problems } = look(item, seen, signature);
        tally[isBroken(item) ? 'broken' : 'deliveries'] += 1;
        tally.findings += problems.length;
        for (const problem of problems) yield { line: item.line, id, event, problem };
        if (tally.deliveries % 1000 === 0) {
          context.progress().update(counted(tally.deliveries, 'delivery', 'deliveries'));
        }
      }
      tally.ids = seen.size;
    }
    return {
      kind: 'rows',
      rows: rows(),
      columns: COLUMNS,
      chosen: columns,
      none: '',
      notes: (): Note[] => [{ text: summary(tally) }],
      found: () => (exitCode ? tally.findings : 0),
    };
  },
});

const COLUMNS: Columns = {
  // The problem says of which event it is where that matters, and is to be read whole.
  table: [{ key: 'line', figure: true }, { key: 'id' }, { key: 'problem' }],
  csv: [{ key: 'line' }, { key: 'id' }, { key: 'event' }, { key: 'problem' }],
};

interface Looked {
  readonly id: string | null;
  readonly event: string | null;
  readonly problems: readonly string[];
}

/** Where a delivery id was first, and what its body was. */
interface Seen {
  readonly line: number;
  readonly digest: string;
}

function look(item: SavedItem, seen: Map<string, Seen>, signature: Signature | undefined): Looked {
  if (isBroken(item)) return { id: null, event: null, problems: [item.problem] };
  const checked = checkDelivery(item.body);
  const problems = [
    ...checked.problems,
    ...contradictions(item, checked),
    ...repeated(item, checked, seen),
    ...unsigned(item, signature),
  ];
  return { id: checked.id, event: checked.event, problems };
}

/** What the line says of a delivery is what others look for it by. */
function contradictions({ entry }: SavedDelivery, checked: Checked): string[] {
  if (!entry) return [];
  const said = (value: string | null) => JSON.stringify(value);
  return (['id', 'event'] as const)
    .filter((name) => entry[name] !== checked[name])
    .map((name) => `${name} is ${said(entry[name])} in the store, and ${said(checked[name])} in the body`);
}

function repeated({ line, body }: SavedDelivery, { id }: Checked, seen: Map<string, Seen>): string[] {
  if (id === null) return [];
  const digest = createHash('sha1').update(body).digest('base64');
  const first = seen.get(id);
  if (!first) {
    seen.set(id, { line, digest });
    return [];
  }
  const whose = first.digest === digest ? 'the same body' : 'another body';
  return [`the delivery id is that of line ${first.line} already, with ${whose}`];
}

function unsigned({ body, entry }: SavedDelivery, signature: Signature | undefined): string[] {
  if (!signature) return [];
  if (!entry) return ['no headers were kept, so that no signature can be checked'];
  const value = entry.headers[signature.header.toLowerCase()];
  if (value === undefined)
    return [`the header ${signature.header}, which should hold the signature, was not kept`];
  return isSigned(body, value, signature) ? [] : ['the signature is not that of the body with this secret'];
}

interface Tally {
  deliveries: number;
  broken: number;
  findings: number;
  ids: number;
}

function summary({ deliveries, broken, findings, ids }: Tally): string {
  if (deliveries === 0 && broken === 0) return 'There is no delivery in it.';
  const lines = broken === 0 ? '' : `, ${counted(broken, 'line that is none', 'lines that are none')}`;
  const end = findings === 0 ? 'nothing was found.' : `${counted(findings, 'finding', 'findings')}.`;
  return `${counted(deliveries, 'delivery', 'deliveries')}, ${counted(ids, 'delivery id', 'delivery ids')}${lines}: ${end}`;
}
