import { usageError } from '../../core/errors.ts';
import type { FileFormat, Format, Layout } from '../format.ts';
import { BEANCOUNT_ROOTS, type Dialect } from './dialect.ts';
import type { FiatLayout } from './fiat-layout.ts';

/** Journal formats for `--format`. An export for plain-text accounting is a file. An export for an importer is a folder. */
export const JOURNALS = {
  hledger: plainText(['.journal', '.hledger'], async () => (await import('./hledger.ts')).hledger),
  ledger: plainText(['.ledger', '.ldg'], async () => (await import('./ledger.ts')).ledger),
  beancount: plainText(['.beancount', '.bean'], async () => (await import('./beancount.ts')).beancount, {
    roots: BEANCOUNT_ROOTS,
    code: 'equity:coa:{code}',
  }),
  xero: forImporter('Xero', async () => (await import('./xero.ts')).xero),
  quickbooks: forImporter('QuickBooks Online', async () => (await import('./quickbooks.ts')).quickbooks),
  sage: forImporter('Sage 50', async () => (await import('./sage.ts')).sage),
} as const satisfies Readonly<Record<string, Format>>;

function plainText(
  extensions: FileFormat['extensions'],
  load: () => Promise<Dialect>,
  journal: NonNullable<FileFormat['journal']> = {},
): { readonly file: FileFormat } {
  return {
    file: {
      extensions,
      journal,
      open: async (sink, layout) =>
        (await import('./plain-text.ts')).plainTextFile(sink, begun(layout), await load()),
    },
  };
}

function forImporter(imports: string, load: () => Promise<FiatLayout>): { readonly file: FileFormat } {
  return {
    file: {
      extensions: [],
      journal: { imports, code: '{code}' },
      open: async () => {
        throw usageError(
          `Cannot write files for ${imports} to a stream`,
          'Specify a folder as `out`.',
          'NO_FOLDER',
        );
      },
      openFolder: async (path, layout) =>
        (await import('./fiat-folder.ts')).openFiatFolder(path, layout, await load(), begun(layout)),
    },
  };
}

function begun({ journal }: Layout) {
  if (journal === undefined) throw new TypeError('a journal format requires layout.journal');
  return journal.begin();
}
