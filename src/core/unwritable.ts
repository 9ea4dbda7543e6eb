import { type CryptodataError, messageOf, OutputError, systemCode } from './errors.ts';

/** Creates the error for a file or another output that cannot be written. */
export function cannotWrite(where: string, error: unknown, hint?: string): CryptodataError {
  const code = systemCode(error) ?? '';
  const reason = SURROUNDINGS.get(code) ?? PLACES.get(code);
  return new OutputError(
    reason ? code : 'CANNOT_WRITE',
    `Cannot write to ${where}: ${reason?.why ?? messageOf(error)}`,
    {
      hint: hint ?? reason?.hint,
      cause: error,
    },
  );
}

/**
 * Returns the error to report for a system error that no bug of the tool causes, such as a full disk. Returns undefined for any
 * other error.
 */
export function systemFailure(error: unknown, what = accessOf(error)): CryptodataError | undefined {
  const code = systemCode(error) ?? '';
  const reason = SURROUNDINGS.get(code);
  return reason && new OutputError(code, `${what}: ${reason.why}`, { hint: reason.hint, cause: error });
}

function accessOf(error: unknown): string {
  const { path, syscall } = Object(error);
  return path === undefined ? `A system call failed (${syscall})` : `Cannot access ${path}`;
}

/** Whether the user can make the same command succeed without changing the command, for example by freeing disk space. */
export function isPassing({ code }: CryptodataError): boolean {
  return SURROUNDINGS.get(code)?.passes === true;
}

interface Reason {
  readonly why: string;
  readonly hint: string;
  /** See {@link isPassing}. */
  readonly passes?: true;
}

const NO_SPACE = 'Free some space, or write to another disk.';
const NOT_ALLOWED = 'Choose a directory that you can write to.';

/** Errors that are caused by the machine or the name of a file, whatever the tool was doing. */
const SURROUNDINGS = new Map<string, Reason>([
  ['ENOSPC', { why: 'the disk is full', hint: NO_SPACE, passes: true }],
  ['EDQUOT', { why: 'the disk quota is used up', hint: NO_SPACE, passes: true }],
  [
    'EMFILE',
    {
      why: 'the process has reached its limit of open files',
      hint: 'Raise the limit, for example with "ulimit -n 1024", or lower the number of parallel requests.',
      passes: true,
    },
  ],
  [
    'ENFILE',
    { why: 'the system has reached its limit of open files', hint: 'Close other programs.', passes: true },
  ],
  ['EIO', { why: 'the disk reported an error', hint: 'Check the disk, or use another disk.', passes: true }],
  [
    'EFBIG',
    {
      why: 'the file is larger than allowed',
      hint: 'Raise the limit ("ulimit -f"), or write to another disk.',
    },
  ],
  ['EACCES', { why: 'no permission', hint: NOT_ALLOWED }],
  ['EPERM', { why: 'no permission', hint: NOT_ALLOWED }],
  ['EROFS', { why: 'the disk is read-only', hint: NOT_ALLOWED }],
  ['ENAMETOOLONG', { why: 'the name is too long', hint: 'Use a shorter name.' }],
  ['ELOOP', { why: 'its symbolic links form a loop', hint: 'Correct the links, or choose another path.' }],
  ['ENOTDIR', { why: 'part of the path is not a directory', hint: 'Correct the path.' }],
]);

/** Errors that a path can cause. If the tool chose the path itself, such an error is a bug. */
const PLACES = new Map<string, Reason>([
  ['ENXIO', { why: 'it cannot be opened', hint: 'Choose a regular file.' }],
  ['EISDIR', { why: 'it is a directory', hint: 'Name a file.' }],
  [
    'ENOENT',
    { why: 'its directory does not exist', hint: 'Create the directory first, or choose another directory.' },
  ],
]);
