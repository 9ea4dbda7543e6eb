import { dateParts, type FiatLayout } from './fiat-layout.ts';
import { shortId } from './names.ts';

/** Maximum length of a journal number. */
const LONGEST = 21;

/**
 * The CSV layout for journal entries in QuickBooks Online. Rows with the same journal number form one entry.
 * https://quickbooks.intuit.com/learn-support/en-au/help-article/import-export-files/import-journal-entries-quickbooks-online/L4tQBwbs7_AU_en_AU
 */
export const quickbooks: FiatLayout = {
  columns: ['JournalNo', 'JournalDate', 'AccountName', 'Debits', 'Credits', 'Description'],
  cells: ({ date, id, description, details, account, amount, isDebit }) => {
    const { year, month, day } = dateParts(date);
    const text = [description, details].filter((part) => part !== '').join(': ');
    return [
      shortId(id, LONGEST),
      `${month}/${day}/${year}`,
      account,
      isDebit ? amount : '',
      isDebit ? '' : amount,
      text,
    ];
  },
};
