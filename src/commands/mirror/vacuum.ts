import { bool, int, text } from '../../api/records.ts';
import { verb } from '../../cli/define.ts';
import { durationFlag, toggle } from '../../cli/flags.ts';
import { made, oneOf } from '../../cli/output.ts';
import { count, plural } from '../../core/text.ts';
import { openColumns } from '../../formats/open.ts';
import { vacuumMirror } from '../../mirror/vacuum.ts';
import { FOLDER } from './folder.ts';

/** In seconds. */
const DAY = 86_400;

export const vacuum = verb({
  name: 'vacuum',
  summary: 'Delete files that only old states of a mirror need',
  about: `Runs never delete files, so that earlier states can be read with --snapshot. This command deletes the files that only states older than --older-than need. It also deletes the files of runs that were killed. It keeps all files of the current state of each workspace. The log, the history of the legs and the times of all runs are kept.

After the command, states that are older than --older-than can no longer be read. Programs that still read such a state fail. The command sends no request.`,
  operands: [FOLDER],
  flags: {
    olderThan: durationFlag(
      '--older-than <duration>',
      'age up to which all states are kept, at least 1d (default: 30d)',
      { min: DAY },
    ),
    dryRun: toggle('--dry-run', 'count the files without deleting them'),
  },
  examples: {
    'Keep the states of the last 30 days': 'cryptodata mirror vacuum books --older-than 30d',
    'Show how much space would be freed': 'cryptodata mirror vacuum books --dry-run',
  },
  prints:
    'A record { folder, files, bytes, deleted }: the number of files and bytes that only older states need, and whether they were deleted.',
  output: [oneOf(made({ folder: text, files: int, bytes: int, deleted: bool }))],
  exits: [0, 2, 130],
  async run(context, { olderThan = 30 * DAY, dryRun }, [folder = '']) {
    const isTrial = dryRun === true;
    const options = { olderThan: olderThan * 1000, isTrial, now: context.now() };
    const { files, bytes } = await vacuumMirror(folder, options);
    return {
      kind: 'record',
      record: { folder, files, bytes, deleted: !isTrial },
      columns: openColumns,
      notes: () => [
        {
          text: `${plural(files, 'file', 'files')} (${count(Math.ceil(bytes / 1e6))} MB) ${isTrial ? 'would be' : files === 1 ? 'was' : 'were'} deleted.`,
        },
      ],
    };
  },
});
