import { usageError } from '../../core/errors.ts';
import type { FileFormat, Format, JournalFormat, Layout } from '../format.ts';
import { BEANCOUNT_ROOTS, type Dialect } from './dialect.ts';
import type { FiatLayout } from './fiat-layout.ts';

/** Journal formats for `--format`. An export for plain-text accounting is a file. An export for an importer is a folder. */
export const JOURNALS = {
  hledger: plainText(['.journal', '.hledger'], async () => (await import('./hledger.ts')).hledger),
  ledger: plainText(['.ledger', '.ldg'], async () => (await import('./ledger.ts')).ledgerDialect),
  beancount: plainText(['.beancount', '.bean'], async () => (await import('./beancount.ts')).beancount, {
    roots: BEANCOUNT_ROOTS,
    code: 'equity:coa:{code}',
  }),
  xero: forImporter({ imports: 'Xero', longestCode: 10 }, async () => (await import('./xero.ts')).xero),
  quickbooks: forImporter(
    { imports: 'QuickBooks Online' },
    async () => (await import('./quickbooks.ts')).quickbooks,
  ),
  sage: forImporter({ imports: 'Sage 50', longestCode: 8 }, async () => (await import('./sage.ts')).sage),
} as const satisfies Readonly<Record<string, Format>>;

function plainText(
  extensions: FileFormat['extensions'],
  load: () => Promise<Dialect>,
  journal: JournalFormat = {},
): { readonly file: FileFormat } {
  return {
    file: {
      extensions,
      journal,
      open: async (sink, layout) =>
        (await import('./plain-text.ts')).plainTextFile(sink, await begun(layout), await load()),
    },
  };
}

function forImporter(
  journal: JournalFormat & { readonly imports: string },
  load: () => Promise<FiatLayout>,
): { readonly file: FileFormat } {
  return {
    file: {
      extensions: [],
      journal: { ...journal, code: '{code}' },
      open: async () => {
        throw usageError(
          `Cannot write files for ${journal.imports} to a stream`,
          'Specify a folder as `out`.',
          'NO_FOLDER',
        );
      },
      openFolder: async (path, layout) =>
        (await import('./fiat-folder.ts')).openFiatFolder(path, layout, await load(), await begun(layout)),
    },
  };
}

async function begun({ journal }: Layout) {
  if (journal === undefined) throw new TypeError('a journal format requires layout.journal');
  return new (await import('./sorted-journal.ts')).SortedJournal(journal);
}
