import { CryptodataError, messageOf, systemCode } from './errors.ts';

/** The error of an output that the system refuses, in words that say what to do. */
export function cannotWrite(where: string, error: unknown, hint?: string): CryptodataError {
  const code = systemCode(error) ?? '';
  const told = REASONS.get(code);
  return new CryptodataError(
    'output',
    told ? code : 'CANNOT_WRITE',
    `Cannot write to ${where}: ${told?.why ?? messageOf(error)}`,
    {
      hint: hint ?? told?.hint,
      cause: error,
    },
  );
}

const REASONS = new Map([
  ['ENOSPC', { why: 'the disk is full', hint: 'Free some space, or choose a place on another disk.' }],
  [
    'EDQUOT',
    { why: 'the disk quota is used up', hint: 'Free some space, or choose a place on another disk.' },
  ],
  ['EACCES', { why: 'no permission', hint: 'Choose a folder that you may write to.' }],
  ['EPERM', { why: 'no permission', hint: 'Choose a folder that you may write to.' }],
  ['EROFS', { why: 'the disk is read-only', hint: 'Choose a folder that you may write to.' }],
  ['ENXIO', { why: 'it cannot be opened by its name', hint: 'For standard output, say --out -.' }],
  ['EISDIR', { why: 'it is a folder', hint: 'Name a file.' }],
  ['ENOTDIR', { why: 'a part of the path is no folder', hint: 'Correct the path.' }],
  ['ENOENT', { why: 'its folder does not exist', hint: 'Make the folder first, or choose another.' }],
]);
