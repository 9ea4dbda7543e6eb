import { once } from 'node:events';
import { mapOf, text } from '../../api/records.ts';
import { noteExample, openSandbox } from '../../app/sandbox.ts';
import { verb } from '../../cli/define.ts';
import { made, oneOf } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { stringifyJson } from '../../core/json.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/index.ts';
import { FAULTS_HELP } from './faults.ts';
import { sandboxFlags, sandboxOptions } from './flags.ts';
import { EVENTS_HELP } from './receivers.ts';

const DEFAULT_PORT = 8970;

export const startSandboxVerb = verb({
  name: 'start',
  summary: 'Start the sandbox and keep it running until Ctrl-C',
  about: `Paste the output into another terminal. Every command in that terminal then uses the sandbox. The four addresses of the service have four ports, and each serves only its own paths. To see all requests, and the reasons for failures, open the page /_sandbox in a browser. All data is lost when the sandbox stops. To keep the data, save it first: cryptodata sandbox snapshot save FILE.

${FAULTS_HELP}

${EVENTS_HELP}`,
  flags: sandboxFlags,
  examples: {
    'Start a sandbox': 'cryptodata sandbox',
    'Serve a large workspace': 'cryptodata sandbox --rows 1000000',
    "Test a client's retries": 'cryptodata sandbox --fault 429:/v1/ledgers:rate=0.1:retry-after=2',
    'Serve example labels, spam, assets, NFTs, DeFi and balances': 'cryptodata sandbox --data example',
    'Simulate a flaky network': 'cryptodata sandbox --scenario flaky-network',
    'Start with a saved state': 'cryptodata sandbox --snapshot before.json',
    'Send signed webhooks to your application':
      'cryptodata sandbox --receiver http://127.0.0.1:3000/webhooks --secret-env WEBHOOK_SECRET --signature-header x-signature --signature-encoding hex',
    'Start a sandbox in a script': 'cryptodata sandbox --port 0 --auto-consent --json > sandbox.json &',
  },
  prints: `Shell commands (export NAME=value) that set the addresses, the client id and the client secret. Comment lines (#) contain alternatives to a login: the access token, and an API key with its workspace.
With -o json, one object { url, env }.`,
  output: [oneOf(made({ url: text, env: mapOf(text) }))],
  exits: [0, 2],
  async run(context, flags) {
    const options = await sandboxOptions(context, flags, DEFAULT_PORT);
    return { kind: 'stream', chunks: serve(context, options) };
  },
});

async function* serve(context: Context, options: SandboxOptions): AsyncGenerator<string> {
  const format = await context.format();
  const sandbox = await openSandbox(options);
  try {
    yield format === 'json' || format === 'jsonl'
      ? `${stringifyJson({ url: sandbox.url, env: sandbox.env })}\n`
      : exports(sandbox);
    context.note(`The sandbox listens on ${sandbox.url}. Ctrl-C stops it.`);
    context.note(`To see all requests, and the reasons for failures, open ${sandbox.url}/_sandbox`);
    noteExample(context, options);
    if (!context.signal.aborted) await once(context.signal, 'abort');
  } finally {
    await sandbox.close();
  }
}

/** The line with the token is commented out, because a token in the environment replaces the login. */
function exports({ env, apiKey, workspaceId }: Sandbox): string {
  const lines = Object.entries(env).map(
    ([name, value]) => `${name === 'CRYPTODATA_ACCESS_TOKEN' ? '# ' : ''}export ${name}=${value}\n`,
  );
  // The API key is also commented out, because a key and a token cannot be used together.
  const key = [`# export CRYPTODATA_API_KEY=${apiKey}\n`, `# export CRYPTODATA_WORKSPACE=${workspaceId}\n`];
  return [...lines, ...key].join('');
}
