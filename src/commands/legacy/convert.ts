import { overwriteFlag } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { choice, text } from '../../cli/flags.ts';
import { nameOf, readInput } from '../../cli/json-input.ts';
import { stringifyJson } from '../../core/json.ts';
import { parseStrict } from '../../core/strict-json.ts';
import { showText } from '../../core/text.ts';
import { OutputFile } from '../../export/output-file.ts';
import { type ConvertOptions, convert } from '../../legacy/convert.ts';
import { KINDS } from '../../legacy/kinds.ts';
import { reportLines } from '../../legacy/report.ts';
import { decodeText } from '../../legacy/source.ts';

export const convertAnswer = verb({
  name: 'convert',
  summary: 'Turn JSON of the previous API into the current form, and say what could not be carried over',
  about: `By the change list of the specification: field names of holdings, snake_case of v0, the envelope. Every number keeps its digits. Nothing is asked of the service, and nothing is dropped in silence: what the current form has no place for is told on stderr, with its value in --report.

An roi of 0 may stand for a return of 0 or for an unknown one, which the current form writes as null: it is kept and told, unless --zero-roi null says that it is unknown. 24hrChange was a percentage: it becomes change24hPercentage, and change24h stays out.`,
  operands: [{ written: '[file]', describe: 'file of JSON, or - for stdin (default)' }],
  flags: {
    kind: choice(
      '--kind <kind>',
      `what the records are: ${KINDS.join(', ')}; told from the document where not given`,
      KINDS,
    ),
    zeroRoi: choice('--zero-roi <keep|null>', 'what an roi of 0 becomes (default keep)', ['keep', 'null']),
    report: text('--report <file>', 'write what became of the document, as JSON'),
    overwrite: overwriteFlag,
  },
  examples: [
    { says: 'A saved answer', line: 'cryptodata legacy convert old.json > new.json' },
    {
      says: 'In a pipe, with a report',
      line: 'curl -s "$OLD/api/v1/holdings" -H "$AUTH" | cryptodata legacy convert --report report.json',
    },
  ],
  prints:
    'The document in the current form, as JSON whatever -o says.\nOn stderr: what was not carried over, what is ambiguous, and what the current form would have beside it.',
  exits: [0, 2],
  async run(context, { kind, zeroRoi, report: file, overwrite }, [source = '-']) {
    const bytes = await readInput(context, source, 'JSON');
    const name = nameOf(source);
    const options: ConvertOptions = { kind, zeroRoi };
    const { value, report } = convert(parseStrict(decodeText(bytes, name), name), options);
    if (file !== undefined) await writeReport(file, report, overwrite);
    const format = await context.format();
    return {
      kind: 'stream',
      chunks: one(`${stringifyJson(value, format === 'jsonl' ? undefined : 2)}\n`),
      notes: () => reportLines(report).map((line) => ({ text: showText(line), warning: true })),
    };
  },
});

async function writeReport(path: string, report: object, overwrite: boolean | undefined): Promise<void> {
  const file = await OutputFile.open(path, { overwrite });
  try {
    await file.write(`${stringifyJson(report, 2)}\n`);
    await file.finish();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

async function* one(text: string): AsyncGenerator<string> {
  yield text;
}
