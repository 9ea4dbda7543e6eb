import { dateParts, type FiatLayout } from './fiat-layout.ts';
import { shorten, shortId } from './names.ts';

const LONGEST_REFERENCE = 30;
const LONGEST_DETAILS = 60;

/**
 * The layout of audit trail transactions for Sage 50 (UK and Ireland). JD is a journal debit, and JC is a journal credit. Tax
 * code T9 is "outside VAT" if the company has not changed its tax codes.
 * https://www.makingithappen.co.uk/CI/std/audittrans.htm
 * https://pimbrook.ie/knowledge-base/sage-50-audit-trail-import/
 */
export const sage: FiatLayout = {
  columns: [
    'Type',
    'Account Reference',
    'Nominal A/C Ref',
    'Department Code',
    'Date',
    'Reference',
    'Details',
    'Net Amount',
    'Tax Code',
    'Tax Amount',
  ],
  cells: ({ date, id, description, details, account, amount, isDebit, tax = 'T9' }) => {
    const { year, month, day } = dateParts(date);
    const text = [description, details].filter((part) => part !== '').join(': ');
    return [
      isDebit ? 'JD' : 'JC',
      '',
      account,
      '',
      `${day}/${month}/${year}`,
      shortId(id, LONGEST_REFERENCE),
      shorten(text, LONGEST_DETAILS),
      amount,
      tax,
      '0.00',
    ];
  },
};
