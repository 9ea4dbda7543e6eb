import { parseInput, readJsonInput } from '../../cli/json-input.ts';
import type { Context } from '../../context.ts';

/** The JSON of `-d`: itself, in a file behind `@`, or on stdin for `-`. */
export async function givenData(context: Context, data: string): Promise<unknown> {
  if (data === '-') return readJsonInput(context, '-');
  return data.startsWith('@') ? readJsonInput(context, data.slice(1)) : parseInput(data, '--data');
}
