import { type FiatLayout, partsOf } from './fiat-layout.ts';

/**
 * Xero's template of manual journals. Rows with the same narration and date are one journal, so the narration names the
 * transaction. A month written as a name is read the same way in every region.
 * https://help.xero.com/nz/ManualJournalsImport
 */
export const xero: FiatLayout = {
  columns: ['*Narration', '*Date', 'Description', '*AccountCode', '*TaxRate', '*Amount'],
  mostLines: 300,
  cells: ({ date, id, description, details, account, amount, isDebit, tax = 'Tax Exempt' }) => {
    const { year, monthName, day } = partsOf(date);
    const narration = description === '' ? id : `${description} (${id})`;
    return [narration, `${day} ${monthName} ${year}`, details, account, tax, isDebit ? amount : `-${amount}`];
  },
};
