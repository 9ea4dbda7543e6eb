// Searches for secrets in the places where they could leak: output, files, command lines and environments.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from './harness.ts';

/** Length of the parts of a secret. A part of this length is too long to occur by chance in text without secrets. */
const TELLING = 20;

/**
 * Returns the strings that reveal a secret: its encoded forms, and also parts of a long secret, because a truncated message
 * may contain only a part. Parts of a JWT header are excluded, because the header is not secret and is the same in all
 * tokens.
 */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const telling = secret.startsWith('eyJ') ? secret.slice(secret.indexOf('.') + 1) : secret;
  const parts: string[] = [];
  for (let at = 0; at + TELLING <= telling.length; at += TELLING / 2)
    parts.push(telling.slice(at, at + TELLING));
  const inBase64 = [0, 1, 2].map((before) => {
    const base64 = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return base64.slice(before + 1, Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [
    ...new Set([
      secret,
      encodeURIComponent(secret),
      new URLSearchParams({ '': secret }).toString().slice(1),
      JSON.stringify(secret).slice(1, -1),
      ...inBase64,
      ...inBase64.map((base64) => base64.replaceAll('+', '-').replaceAll('/', '_')),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      [...secret].reverse().join(''),
      ...parts,
      ...parts.map((part) => Buffer.from(part).toString('hex')),
    ]),
  ];
}

/** Collects the text seen in each place, without duplicates. */
export class Seen {
  readonly #places = new Map<string, Set<string>>();

  add(place: string, text: string): void {
    const texts = this.#places.get(place) ?? new Set();
    this.#places.set(place, texts.add(text));
  }

  /** Adds the current content of every file below a directory. */
  files(directory: string): void {
    for (const file of filesIn(directory)) {
      const text = read(join(directory, file));
      if (text !== undefined) this.add(`file ${file.replace(/\.[0-9a-f]{8,}\./g, '.….')}`, text);
    }
  }

  text(place: string): string {
    return [...(this.#places.get(place) ?? [])].join('\n');
  }

  places(): string[] {
    return [...this.#places.keys()];
  }

  /** Returns one line for each secret in each place: `SECRET in PLACE as SPELLING`. */
  find(secrets: ReadonlyMap<string, string>): string[] {
    const spellings = [...secrets].flatMap(([what, secret]) =>
      spellingsOf(secret).map((spelling) => ({ what, spelling })),
    );
    // There are thousands of spellings. An index by first characters finds all of them in one pass over a text.
    const size = Math.min(...spellings.map(({ spelling }) => spelling.length));
    const byStart = new Map<string, typeof spellings>();
    for (const one of spellings) {
      const start = one.spelling.slice(0, size);
      byStart.set(start, [...(byStart.get(start) ?? []), one]);
    }
    return this.places().flatMap((place) => {
      const found = new Map<string, string>();
      const text = this.text(place);
      for (let at = 0; at + size <= text.length; at += 1) {
        for (const { what, spelling } of byStart.get(text.slice(at, at + size)) ?? []) {
          if (!found.has(what) && text.startsWith(spelling, at)) found.set(what, spelling);
        }
      }
      return [...found].map(([what, spelling]) => `${what} in ${place} as ${spelling}`);
    });
  }
}

/**
 * Records the files below a directory, and the command lines of the process `root` and its descendants. Also records the
 * environments of the descendants. The returned function stops the recording.
 */
export function watch(seen: Seen, root: number, directory: string): () => Promise<void> {
  let over = false;
  const parents = new Map<string, number>();
  const watching = (async () => {
    for (let round = 0; !over; round += 1) {
      for (const { pid, parent } of descendants(root, parents)) {
        const words = read(`/proc/${pid}/cmdline`) ?? '';
        seen.add('command lines', words.replaceAll('\0', ' '));
        // Until a new process executes its own program, it has the command line and the environment of its parent.
        if (pid === root || words === read(`/proc/${parent}/cmdline`)) continue;
        const environment = read(`/proc/${pid}/environ`) ?? '';
        if (environment !== '') seen.add('environments of children', environment.replaceAll('\0', '\n'));
      }
      if (round % 4 === 0) seen.files(directory);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return async () => {
    over = true;
    await watching;
  };
}

/** @param parents a cache of parent ids, because most processes occur in many samples */
function descendants(
  root: number,
  parents: Map<string, number>,
): { readonly pid: number; readonly parent: number }[] {
  const found = [{ pid: root, parent: 0 }];
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // A program name may contain spaces and brackets. The state and the parent id follow the last closing bracket.
    const parent = parents.get(name) ?? Number(/\) \S (\d+)/.exec(read(`/proc/${name}/stat`) ?? '')?.[1]);
    parents.set(name, parent);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  for (const { pid: parent } of found) {
    for (const pid of children.get(parent) ?? []) found.push({ pid, parent });
  }
  return found;
}

/** Returns undefined if the file no longer exists or cannot be read. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
