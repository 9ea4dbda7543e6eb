import { readFileSync } from 'node:fs';
import type { FlagModel } from './model.ts';

/** Replaces each `#{name}` in a template with a table. */
export function fill(template: string, tables: Readonly<Record<string, string>>): string {
  const text = readFileSync(new URL(template, import.meta.url), 'utf8');
  return text.replace(/#\{(\w+)\}/g, (_, name: string) => {
    const table = tables[name];
    if (table === undefined) throw new Error(`${template} needs a table ${name}`);
    return table;
  });
}

/** The long names of the flags that are not hidden. */
export function shown(flags: readonly FlagModel[]): string[] {
  return flags.flatMap(({ names, hidden }) => (hidden ? [] : names.filter((name) => name.startsWith('--'))));
}
