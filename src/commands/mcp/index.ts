import { type LazyNoun, type NounVerbs, verb } from '../../cli/define.ts';
import { durationFlag } from '../../cli/flags.ts';
import { SILENT } from '../../cli/outcome.ts';

/** @param tree every command */
export function mcpOf(tree: readonly LazyNoun[]): { readonly noun: NounVerbs } {
  const mcp = verb({
    name: 'mcp',
    summary: 'Serve read-only tools to a coding agent (Model Context Protocol)',
    about: `The command speaks the Model Context Protocol on stdin and stdout until stdin ends. A coding agent starts this command itself; see docs/agents.md for the setup.

The tools are whoami, list, get, sums, negative, audit, explain and help. The tools only read data from the service, with the login of the profile. They do not return tokens or settings, do not read or write files, and do not call arbitrary paths. Results have at most 200 rows and state the total. Text from the service is marked as data; control characters are escaped.`,
    flags: {
      timeout: durationFlag('--timeout <duration>', 'time limit for one call', {
        ...{ min: 1, max: 3600, default: 300 },
      }),
    },
    examples: {
      'Start the server (usually, a coding agent does this)': 'cryptodata mcp',
      'Serve the books of one client firm': 'cryptodata mcp -p client-a',
    },
    prints: 'Only protocol messages, one per line.',
    exits: [0, 2, 130],
    async run(context, { timeout }) {
      const { serve } = await import('./server.ts');
      await serve(context, tree, timeout * 1000);
      return SILENT;
    },
  });
  return { noun: { verbs: [mcp] } };
}
