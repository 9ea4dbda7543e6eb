import { CryptodataError, usageError } from '../../base/errors.ts';
import { showText } from '../../base/text.ts';
import { uploadRequest } from '../../client/resources/csv.ts';
import type { Context } from '../../context.ts';
import { SERVICE_EXITS } from '../../exits.ts';
import type { Flag } from '../define.ts';
import { verb } from '../define.ts';
import { text } from '../flags.ts';
import { answerWith, failuresIn } from '../partial.ts';
import { confirmed, dryRun, writeFlags } from '../writes.ts';
import { filesToSend, findingLines, inspectAll, limitFlags } from './files.ts';

const formFlag: Flag<readonly string[] | undefined> = {
  written: '--form <name=value>',
  describe: 'a further field of the form (repeatable): the specification names none',
  parse: (given, previous) => {
    if (!/^[^=]+=/.test(given)) throw usageError('It must be name=value', 'As in --form walletId=ID.');
    return [...(previous ?? []), given];
  },
};

export const upload = verb({
  name: 'upload',
  summary: 'Import files (.csv, .xls, .xlsx), and check which could not be',
  about: `All files go in one request, byte for byte, once. They are looked at first, as csv check does; what the service would refuse is not sent, and anything else that is found is said.

The specification does not show the name of the form field that holds the files: --field NAME, or for good: config set csv_field NAME.`,
  operands: [{ written: '<file...>', describe: 'files to import' }],
  flags: {
    field: text('--field <name>', 'form field that holds the files (csv_field)'),
    form: formFlag,
    ...limitFlags,
    ...writeFlags,
  },
  examples: [
    { says: 'Look first', line: 'cryptodata csv upload trades.csv --field NAME --dry-run' },
    {
      says: 'Name the field once, then upload',
      line: 'cryptodata config set csv_field NAME && cryptodata csv upload trades.csv',
    },
    {
      says: 'From a script, with a further field',
      line: 'cryptodata csv upload *.csv --form NAME=VALUE --yes --json | jq .failures',
    },
  ],
  prints:
    'What the service answers, as one record, and what failed item by item.\nOn stderr: what was found in the files.',
  exits: [...SERVICE_EXITS, 5, 6, 11].sort((a, b) => a - b),
  async run(context, { field, form, maxSize, maxFiles, yes, dryRun: dry }, paths) {
    const name = field ?? (await fieldSetting(context));
    const bytes = await checked(context, paths, { maxSize, maxFiles });
    const { update } = context.progress();
    const files = await filesToSend(paths, (sent) => update(`${size(sent)} of ${size(bytes)} sent`));
    const given = { field: name, files, fields: (form ?? []).map(fieldOf) };
    if (dry) return dryRun(context, uploadRequest(given));
    const client = await context.client();
    const { url } = await client.preview(uploadRequest(given));
    const what = `${count(paths.length)} (${size(bytes)})`;
    if (!(await confirmed(context, `Upload ${what} to ${showText(url)}?`, yes))) {
      return { kind: 'silent', notes: () => [{ text: 'Nothing was uploaded.' }] };
    }
    const record = await client.csv.upload(given);
    const failed = failuresIn(record);
    return {
      ...answerWith(record, 'failures'),
      notes: () => (failed === 0 ? [{ text: `${what} uploaded.` }] : []),
      failed: () => (failed === 0 ? undefined : notImported(failed)),
    };
  },
});

async function fieldSetting(context: Context): Promise<string> {
  const name = (await context.settings()).get('csv_field');
  if (name !== undefined) return name;
  throw usageError(
    'The form field that holds the files is not known',
    'The specification of the service does not show its name. Say it for once with --field NAME, or for good:\n  cryptodata config set csv_field NAME',
    'MISSING_SETTING',
  );
}

/** Says what was found, and gives the bytes of all files. */
async function checked(
  context: Context,
  paths: readonly string[],
  limits: { maxSize: number | undefined; maxFiles: number | undefined },
): Promise<number> {
  const inspections = await inspectAll(paths, limits, context.progress());
  // The question comes next.
  context.progress().stop();
  const refused = inspections.flatMap((inspection) =>
    findingLines({ ...inspection, findings: inspection.findings.filter(({ refused }) => refused) }),
  );
  if (refused.length > 0) {
    throw usageError(
      `Not sent: ${refused.map(showText).join('; ')}`,
      'See everything that is found: cryptodata csv check FILE.',
      'UNFIT_FILE',
    );
  }
  for (const line of inspections.flatMap(findingLines)) context.say(`warning: ${showText(line)}`);
  return inspections.reduce((sum, { bytes }) => sum + bytes, 0);
}

function fieldOf(given: string): { name: string; value: string } {
  const at = given.indexOf('=');
  return { name: given.slice(0, at), value: given.slice(at + 1) };
}

function notImported(failed: number | bigint): CryptodataError {
  const what = Number(failed) === 1 ? '1 failure' : `${failed.toLocaleString('en')} failures`;
  return new CryptodataError('partial', 'PARTIAL_FAILURE', `The upload was taken with ${what}`, {
    hint: 'They are listed in the answer above. Mend these files, and upload them alone.',
  });
}

function count(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
