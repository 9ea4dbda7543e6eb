import { count } from '../../core/text.ts';
import { type PackFile, SUMS } from './pack.ts';

/** The text about a mirror. Times are in the time zone of the pack. */
export interface MirrorText {
  readonly folder: string;
  readonly readAt: string;
  /** When the number of legs was last verified. */
  readonly countedAt: string | undefined;
  /** When all fields were last verified. */
  readonly fieldsAt: string | undefined;
  readonly limits: readonly string[];
}

export interface PackText {
  /** Undefined if the legs are from the service. */
  readonly mirror: MirrorText | undefined;
  /** `2025-07-01 00:00 to 2025-09-30 23:59:59.999 (Europe/Berlin)`. */
  readonly period: string;
  /** Name and id. */
  readonly workspace: string;
  readonly profile: string;
  /** The user, the time and the version of the tool. */
  readonly made: string;
  readonly service: string;
  readonly legs: number;
  readonly findings: number;
  readonly unverified: string | undefined;
  /** Checks that could not run, with the reason. */
  readonly notPossible: readonly string[];
  readonly files: readonly PackFile[];
}

/** README.txt of a filing pack, for a reader who opens the folder years later. */
export function readmeText(pack: PackText): string {
  const {
    mirror,
    period,
    workspace,
    profile,
    made,
    service,
    legs,
    findings,
    unverified,
    notPossible,
    files,
  } = pack;
  const width = Math.max(...files.map(({ name }) => name.length), SUMS.length);
  return [
    ...heading(`Filing pack: ${period}`),
    `Workspace  ${workspace}`,
    `Profile    ${profile}`,
    `Service    ${service}`,
    ...(mirror ? [`Mirror     ${mirror.folder}, as of ${mirror.readAt}`] : []),
    `Made by    ${made}`,
    `Legs       ${count(legs)} in the period`,
    `Findings   ${count(findings)}`,
    '',
    ...(unverified === undefined
      ? [
          mirror
            ? `Complete as of ${mirror.readAt}: the number of legs was verified against the totals of the service at ${mirror.countedAt}.`
            : 'Complete: the number of legs was verified against the totals of the service, before and after the read.',
        ]
      : [
          `NOT VERIFIED: ${unverified}`,
          mirror
            ? 'Do not file this pack: update the mirror, then write the pack again.'
            : 'Do not file this pack: write it again when no sync is running.',
        ]),
    ...(mirror
      ? [
          'The legs are from a mirror, which is a copy of the books. No request was sent to the service for this pack.',
          ...(mirror.fieldsAt === undefined ? [] : [`Every field was read at ${mirror.fieldsAt} or later.`]),
        ]
      : []),
    ...listOf('Checks that could not run:', notPossible),
    ...listOf('Limits of the mirror:', mirror?.limits ?? []),
    '',
    ...heading('Files'),
    ...files.map(({ name, what }) => `${name.padEnd(width)}  ${what}`),
    `${SUMS.padEnd(width)}  hashes of all files; to check them: sha256sum -c ${SUMS}`,
    '',
    ...heading('Later'),
    'To check the files, and to list every leg and balance that has since changed in the service:',
    '',
    '  cryptodata close verify FOLDER',
    '',
    'Amounts are as the service sent them, with every digit. An empty cell means unknown, never 0.',
    '',
  ].join('\n');
}

function listOf(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `- ${line}`)];
}

function heading(text: string): string[] {
  return [text, '='.repeat(text.length), ''];
}
