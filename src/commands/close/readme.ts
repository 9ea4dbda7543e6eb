import { count } from '../../core/text.ts';
import { type PackFile, SUMS } from './pack.ts';

export interface PackText {
  /** `2025-07-01 00:00 to 2025-09-30 23:59:59.999 (Europe/Berlin)`. */
  readonly period: string;
  readonly workspace: string;
  readonly service: string;
  readonly legs: number;
  readonly findings: number;
  readonly unverified: string | undefined;
  /** Checks that could not be made, with the reason. */
  readonly notPossible: readonly string[];
  readonly files: readonly PackFile[];
}

/** README.txt of a filing pack, for whoever opens the folder in some years. */
export function readmeText(pack: PackText): string {
  const { period, workspace, service, legs, findings, unverified, notPossible, files } = pack;
  const width = Math.max(...files.map(({ name }) => name.length), SUMS.length);
  return [
    ...heading(`Filing pack: ${period}`),
    `Workspace  ${workspace}`,
    `Service    ${service}`,
    `Legs       ${count(legs)} in the period`,
    `Findings   ${count(findings)}`,
    '',
    ...(unverified === undefined
      ? [
          'Complete: the number of legs was verified against the totals of the service, before and after they were read.',
        ]
      : [`NOT VERIFIED: ${unverified}`, 'Do not file this pack: write it again when no sync is running.']),
    ...(notPossible.length > 0
      ? ['', 'Checks that could not be made:', ...notPossible.map((line) => `- ${line}`)]
      : []),
    '',
    ...heading('Files'),
    ...files.map(({ name, what }) => `${name.padEnd(width)}  ${what}`),
    `${SUMS.padEnd(width)}  hashes of all files; to check them: sha256sum -c ${SUMS}`,
    '',
    ...heading('Later'),
    'To check the files, and to list every leg and balance that has changed in the service since:',
    '',
    '  cryptodata close verify FOLDER',
    '',
    'Amounts are those of the service, with every digit. An empty cell is unknown, never 0.',
    '',
  ].join('\n');
}

function heading(text: string): string[] {
  return [text, '='.repeat(text.length), ''];
}
