import { type CryptodataError, messageOf, OutputError, systemCode } from './errors.ts';

/** Creates the error for a file or another output that cannot be written. */
export function cannotWrite(where: string, error: unknown, hint?: string): CryptodataError {
  const code = systemCode(error) ?? '';
  const reason = REASONS.get(code);
  return new OutputError(
    reason ? code : 'CANNOT_WRITE',
    `Cannot write to ${where}: ${reason?.why ?? messageOf(error)}`,
    {
      hint: hint ?? reason?.hint,
      cause: error,
    },
  );
}

const REASONS = new Map([
  ['ENOSPC', { why: 'the disk is full', hint: 'Free some space, or write to another disk.' }],
  ['EDQUOT', { why: 'the disk quota is used up', hint: 'Free some space, or write to another disk.' }],
  ['EACCES', { why: 'no permission', hint: 'Choose a directory that you can write to.' }],
  ['EPERM', { why: 'no permission', hint: 'Choose a directory that you can write to.' }],
  ['EROFS', { why: 'the disk is read-only', hint: 'Choose a directory that you can write to.' }],
  ['ENXIO', { why: 'it cannot be opened', hint: 'For standard output, use --out -.' }],
  ['EISDIR', { why: 'it is a directory', hint: 'Name a file.' }],
  ['ENOTDIR', { why: 'part of the path is not a directory', hint: 'Correct the path.' }],
  [
    'ENOENT',
    { why: 'its directory does not exist', hint: 'Create the directory first, or choose another directory.' },
  ],
]);
