import { csvUpload } from '../../api/csv.ts';
import { reportWrite } from '../../app/partial.ts';
import { confirmed, dryRun, writeFlags } from '../../app/writes.ts';
import type { Flag } from '../../cli/define.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { textFlag } from '../../cli/flags.ts';
import { oneOf, served } from '../../cli/output.ts';
import { uploadFormOf } from '../../client/calls.ts';
import { requestTo } from '../../client/request.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { plural, showText } from '../../core/text.ts';
import { filesToSend, findingLines, inspectAll, limitFlags } from './files.ts';

const formFlag: Flag<readonly string[] | undefined> = {
  written: '--form <name=value>',
  describe: 'additional form field (repeatable); the specification lists no fields',
  parse: (given, previous) => {
    if (!/^[^=]+=/.test(given))
      throw usageError('The value must be name=value', 'For example: --form walletId=ID');
    return [...(previous ?? []), given];
  },
};

export const upload = verb({
  name: 'upload',
  summary: 'Upload import files (.csv, .xls, .xlsx) and list the failures',
  about: `The command runs the same checks as "csv check". Then it asks for confirmation, and sends all files unchanged in one request. Nothing is sent if the specification excludes a file (wrong type, or empty), or if a file exceeds a limit that you set. All other findings, even errors, are printed as in "csv check", and do not prevent the upload.

Files are sent in a form field, and the command needs its name: pass --field NAME, or save the name with "config set csv_field NAME". The specification does not define the name. Look in the documentation of the service, or ask its support.

The specification describes only one part of the response, the list of failures. If files fail, the command lists each failed file with the reason, and exits with 11. If the response has no list of failures, the command prints the response unchanged and exits with 12.`,
  operands: [{ written: '<file...>', describe: 'files to import' }],
  flags: {
    field: textFlag('--field <name>', 'name of the form field for the files (setting: csv_field)'),
    form: formFlag,
    ...limitFlags,
    ...writeFlags,
  },
  examples: {
    'Preview the request': 'cryptodata csv upload trades.csv --field NAME --dry-run',
    'Save the field name once, then upload':
      'cryptodata config set csv_field NAME && cryptodata csv upload trades.csv',
    'Upload from a script, with an additional form field':
      'cryptodata csv upload *.csv --field NAME --form OTHER=VALUE --yes --json | jq .failures',
  },
  prints:
    "The service's response as one record, and each failure with its reason.\nOn stderr: each finding as FILE:LINE: LEVEL: MESSAGE.",
  output: [oneOf(served({}))],
  exits: [...SERVICE_EXITS, 5, 6, 11, 12],
  async run(context, { field, form, maxSize, maxFiles, yes, dryRun: dry }, paths) {
    const name = field ?? (await fieldSetting(context));
    const bytes = await checked(context, paths, { maxSize, maxFiles });
    const { update } = context.progress();
    const files = await filesToSend(paths, (sent) => update(`${size(sent)} of ${size(bytes)} sent`));
    const given = { field: name, files, fields: (form ?? []).map(fieldOf) };
    if (dry) return dryRun(context, requestTo(csvUpload, { form: uploadFormOf(given) }));
    const client = await context.client();
    const { url } = await client.preview(requestTo(csvUpload, { form: uploadFormOf(given) }));
    const what = `${plural(paths.length, 'file', 'files')} (${size(bytes)})`;
    if (!(await confirmed(context, `Upload ${what} to ${showText(url)}?`, yes))) {
      return { kind: 'silent', notes: () => [{ text: 'Nothing was uploaded.' }] };
    }
    return reportWrite(client.csv.upload(given), {
      field: 'failures',
      done: `${what} uploaded. The response does not say which rows the service imported.`,
      failed: (failed) =>
        `The service accepted the upload, but reported ${plural(failed, 'failure', 'failures')}`,
      hint: 'The result above lists every failure. Fix the failed files, and upload only those files.',
    });
  },
});

async function fieldSetting(context: Context): Promise<string> {
  const settings = await context.settings();
  const name = settings.get('csv_field');
  if (name !== undefined) return name;
  throw usageError(
    'The name of the form field for the files is missing',
    `Pass --field NAME, or save the name:\n  cryptodata config set csv_field NAME${settings.profileGiven}\nThe specification does not define the name. Look in the documentation of the service, or ask its support.`,
    'MISSING_SETTING',
  );
}

/** Reports findings, and returns the total size of the files. */
async function checked(
  context: Context,
  paths: readonly string[],
  limits: { maxSize: number | undefined; maxFiles: number | undefined },
): Promise<number> {
  const inspections = await inspectAll(paths, limits, context.progress());
  context.progress().stop();
  const blocked = inspections.flatMap((inspection) =>
    findingLines({ ...inspection, findings: inspection.findings.filter(({ blocks }) => blocks) }),
  );
  if (blocked.length > 0) {
    throw usageError(
      `Not sent: ${blocked.map(showText).join('; ')}`,
      'To list all findings: cryptodata csv check FILE',
      'UNFIT_FILE',
    );
  }
  for (const line of inspections.flatMap((inspection) => findingLines(inspection, true)))
    context.say(showText(line));
  const faulty = inspections.filter(({ findings }) => findings.some(({ level }) => level === 'error')).length;
  if (faulty > 0) {
    context.say(
      `warning: ${plural(faulty, 'file has', 'files have')} errors. An upload sends all files unchanged.`,
    );
  }
  return inspections.reduce((sum, { bytes }) => sum + bytes, 0);
}

function fieldOf(given: string): { name: string; value: string } {
  const at = given.indexOf('=');
  return { name: given.slice(0, at), value: given.slice(at + 1) };
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
