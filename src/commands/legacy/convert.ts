import { overwriteFlag } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { choice, text } from '../../cli/flags.ts';
import { nameOf, readInput } from '../../cli/json-input.ts';
import { oneOf, servedBody } from '../../cli/output.ts';
import { jsonText, stringifyJson } from '../../core/json.ts';
import { parseStrict } from '../../core/strict-json.ts';
import { showText } from '../../core/text.ts';
import { OutputFile } from '../../export/output-file.ts';
import { type ConvertOptions, convert } from '../../legacy/convert.ts';
import { KINDS } from '../../legacy/kinds.ts';
import { reportLines } from '../../legacy/report.ts';
import { decodeText } from '../../legacy/source.ts';

export const convertAnswer = verb({
  name: 'convert',
  summary: 'Convert legacy API JSON to the current format',
  about: `The command applies the changes that the specification lists: the envelope, the field names of holdings, and the snake_case names of v0. Numbers keep all digits. No request is sent. Fields without an equivalent in the current API are listed on stderr. The report of --report also contains their values.

In the legacy format, "roi": 0 means either 0 or unknown; in the current format, unknown is null. By default, 0 is kept and a warning is printed. --zero-roi null converts 0 to null. The legacy field 24hrChange is a percentage and becomes change24hPercentage. The field change24h is omitted.`,
  operands: [{ written: '[file]', describe: 'JSON file, or - for stdin (default: -)' }],
  flags: {
    kind: choice('--kind <kind>', `record kind: ${KINDS.join(', ')} (default: detected)`, KINDS),
    zeroRoi: choice(
      '--zero-roi <keep|null>',
      'keep a 0 in the field "roi", or convert it to null (default: keep)',
      ['keep', 'null'],
    ),
    report: text('--report <file>', 'file for a JSON report of all changes'),
    overwrite: overwriteFlag,
  },
  examples: [
    { says: 'Convert a saved response', line: 'cryptodata legacy convert old.json > new.json' },
    {
      says: 'Convert in a pipeline and write a report',
      line: 'curl -s "$OLD/api/v1/holdings" -H "$AUTH" | cryptodata legacy convert --report report.json',
    },
  ],
  prints:
    'The converted document, always as JSON.\nOn stderr: omitted values, ambiguous values and missing fields.',
  output: [oneOf(servedBody('the converted document, in the current format'))],
  exits: [0, 2],
  async run(context, { kind, zeroRoi, report: file, overwrite }, [source = '-']) {
    const bytes = await readInput(context, source, 'JSON');
    const name = nameOf(source);
    const options: ConvertOptions = { kind, zeroRoi };
    const { value, report } = convert(parseStrict(decodeText(bytes, name), name), options);
    if (file !== undefined) {
      await OutputFile.fill(file, { overwrite }, (opened) => opened.write(`${jsonText(report, 2)}\n`));
    }
    const format = await context.format();
    return {
      kind: 'stream',
      chunks: one(`${stringifyJson(value, format === 'jsonl' ? undefined : 2)}\n`),
      notes: () => reportLines(report).map((line) => ({ text: showText(line), warning: true })),
    };
  },
});

async function* one(text: string): AsyncGenerator<string> {
  yield text;
}
