import { randomBytes } from 'node:crypto';
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cannotWrite } from './unwritable.ts';

/**
 * Writes a file whole or not at all: a temporary file beside it, flushed to the disk, then renamed. For the
 * tool's own small files; they are readable by their owner only.
 *
 * @throws CryptodataError of kind `output`
 */
export async function writePrivateFile(path: string, data: string | Uint8Array): Promise<void> {
  // A link, as people keep their settings in, stays a link.
  const target = await realpath(path).catch(() => path);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw cannotWrite(path, error);
  }
}
