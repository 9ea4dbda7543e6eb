import { dateParts, type FiatLayout } from './fiat-layout.ts';

/**
 * Xero's template for manual journals. Rows with the same narration and date form one journal, so the narration includes the
 * transaction id. Dates contain the name of the month, so they are unambiguous in every region.
 * https://help.xero.com/nz/ManualJournalsImport
 */
export const xero: FiatLayout = {
  columns: ['*Narration', '*Date', 'Description', '*AccountCode', '*TaxRate', '*Amount'],
  mostLines: 300,
  cells: ({ date, id, description, details, account, amount, isDebit, tax = 'Tax Exempt' }) => {
    const { year, monthName, day } = dateParts(date);
    const narration = description === '' ? id : `${description} (${id})`;
    return [narration, `${day} ${monthName} ${year}`, details, account, tax, isDebit ? amount : `-${amount}`];
  },
};
