import type { Context } from '../context.ts';
import { systemCode, usageError } from '../core/errors.ts';
import type { Sandbox, SandboxOptions } from '../sandbox/index.ts';

/**
 * Starts a sandbox in this process.
 *
 * @throws usage error if the port is taken, or if an option is invalid
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { createSandbox } = await import('../sandbox/index.ts');
  try {
    return await createSandbox(options);
  } catch (error) {
    if (systemCode(error) === 'EADDRINUSE') throw portTaken(portIn(error) ?? options.port ?? 0);
    // createSandbox throws a RangeError for invalid options.
    if (error instanceof RangeError) throw usageError(error.message);
    throw error;
  }
}

function portIn(error: unknown): number | undefined {
  return error instanceof Error && 'port' in error && typeof error.port === 'number' ? error.port : undefined;
}

export function noteExample(context: Context, { data, snapshot }: SandboxOptions): void {
  if (data === undefined && snapshot === undefined) {
    context.note(
      'With --data example, holdings have symbols and quantities, and the other lists have records.',
    );
  }
  if (data !== 'example') return;
  context.note(
    "Holdings, labels, spam, assets, NFTs, DeFi, balances and contacts are examples. The service's own records have other fields.",
  );
}

export function portTaken(port: number): Error {
  return usageError(
    `Port ${port} is already in use`,
    'Choose another port, or use --port 0 to get a free port.',
    'PORT_IN_USE',
  );
}
