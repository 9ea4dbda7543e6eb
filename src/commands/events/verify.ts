import { createHash } from 'node:crypto';
import type { JsonRecord } from '../../base/json.ts';
import { type Checked, checkDelivery } from '../../events/check.ts';
import { isBroken, readSaved, type SavedDelivery, type SavedItem } from '../../events/saved.ts';
import type { Note } from '../../output/outcome.ts';
import { verb } from '../define.ts';
import { toggle } from '../flags.ts';
import { nameOf, streamInput } from '../json-input.ts';
import { columnsFlag, sameColumns } from '../shared.ts';
import { counted } from './text.ts';

export const verify = verb({
  name: 'verify',
  summary: 'Check saved webhook deliveries against the specification; nothing is sent',
  about: `FILE is the store of events listen, its FILE.undelivered.jsonl, JSON Lines of envelopes, one envelope, or a JSON array of them.

Each delivery is held against the envelope, the event kinds and the fields of data of the specification; a field that is not in it is told as well. A delivery id that comes again is told, and whether its body is another: a listener takes the second for a repeat of the first.`,
  operands: [{ written: '<file>', describe: 'file of saved deliveries, or - for stdin' }],
  flags: {
    exitCode: toggle('--exit-code', 'end with 10 where anything is found'),
    columns: columnsFlag,
  },
  examples: [
    { says: 'What a listener has stored', line: 'cryptodata events verify deliveries.jsonl' },
    { says: 'In a pipeline', line: 'cryptodata events verify deliveries.jsonl --exit-code --quiet' },
  ],
  prints: `Records { line, id, event, problem }, one for each thing that was found; line is the place in an array. An empty list where nothing was found.
On stderr: how many deliveries were looked at.`,
  exits: [0, 2, 10],
  async run(context, { exitCode, columns }, [source = '-']) {
    const name = nameOf(source);
    const chunks = await streamInput(context, source, 'deliveries');
    const tally: Tally = { deliveries: 0, broken: 0, findings: 0, ids: 0 };
    const seen = new Map<string, Seen>();

    async function* rows(): AsyncGenerator<JsonRecord> {
      for await (const item of readSaved(chunks, name)) {
        context.signal.throwIfAborted();
        const { id, event, problems } = look(item, seen);
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

const COLUMNS = sameColumns({ key: 'line', figure: true }, 'id', 'event', 'problem');

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

function look(item: SavedItem, seen: Map<string, Seen>): Looked {
  if (isBroken(item)) return { id: null, event: null, problems: [item.problem] };
  const checked = checkDelivery(item.body);
  const problems = [...checked.problems, ...contradictions(item, checked), ...repeated(item, checked, seen)];
  return { id: checked.id, event: checked.event, problems };
}

/** What the line says of a delivery is what others look for it by. */
function contradictions({ entry }: SavedDelivery, checked: Checked): string[] {
  if (!entry) return [];
  const said = (value: string | null) => JSON.stringify(value);
  return (['id', 'event'] as const)
    .filter((name) => entry[name] !== checked[name])
    .map(
      (name) => `the store says that ${name} is ${said(entry[name])}, and the body ${said(checked[name])}`,
    );
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
