import type { Context } from '../../context.ts';
import { parseInput, readJsonInput } from '../json-input.ts';

/** The JSON of `-d`: itself, in a file behind `@`, or on stdin for `-`. */
export async function givenData(context: Context, data: string): Promise<unknown> {
  if (data === '-') return readJsonInput(context, '-');
  return data.startsWith('@') ? readJsonInput(context, data.slice(1)) : parseInput(data, '--data');
}
