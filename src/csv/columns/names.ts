import { isAmountCell } from './amount.ts';
import { isDateCell } from './date.ts';

const words = (text: string) => new Set(text.split(' '));

/** Words in the names of columns, in the languages of common exports. */
const DATES = words(
  'date dates timestamp datetime datum zeitpunkt zeitstempel fecha data dato tarih päivämäärä buchungstag wertstellung ' +
    'дата 日付 日時 日期 时间 날짜 일시',
);
/** These words may name a date, but also a duration or a time of day. */
const TIMES = words('time zeit uhrzeit hora heure ora tijd tid время 時刻 時間 시간');
const AMOUNTS = words(
  'amount amounts quantity qty price fee fees value total subtotal balance volume vol cost proceeds executed ' +
    'betrag menge anzahl preis kurs gebühr gebühren wert saldo summe cantidad precio importe comisión tarifa valor montante ' +
    'quantité montant prix frais coût valeur quantità importo prezzo commissione valore bedrag prijs kosten hoeveelheid ' +
    'ilość kwota cena opłata miktar tutar ücret fiyat belopp antal avgift pris ' +
    'сумма количество цена комиссия 金額 数量 価格 手数料 数额 金额 价格 手续费 수량 금액 가격 수수료',
);
const IDS = words(
  'id ids txid tx hash txhash refid uid uuid order trade reference référence referencia referenz ref nr no number nummer номер',
);
/** A column whose name contains one of these words, such as `fee currency`, has no amounts and no dates. */
const OTHERS = words(
  'currency symbol asset coin ticker pair market unit type kind side status id ids txid hash label name address note notes ' +
    'zone währung einheit typ art moneda tipo devise type moeda valuta валюта тип comment description 通貨 币种 통화',
);

/** Splits `feeAmount (USD)` into `fee`, `amount` and `usd`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
}

/** The kinds of columns that a name suggests. */
export interface Suggested {
  readonly date: boolean;
  /** Whether the name may mean a date, but also a duration or a time of day. */
  readonly time: boolean;
  readonly amount: boolean;
  readonly id: boolean;
  readonly other: boolean;
}

export function suggestedBy(name: string): Suggested {
  const all = wordsOf(name);
  const has = (set: ReadonlySet<string>) => all.some((word) => set.has(word));
  const date = has(DATES) && !all.some((word) => OTHERS.has(word) && !DATES.has(word));
  const other = has(OTHERS) && !date;
  const amount = !date && !other && has(AMOUNTS);
  return { date, time: !date && !other && has(TIMES), amount, id: !date && !amount && has(IDS), other };
}

/** Whether a cell is a usual name of a column. */
export function knownName(cell: string): boolean {
  return wordsOf(cell).some((word) => [DATES, TIMES, AMOUNTS, IDS, OTHERS].some((set) => set.has(word)));
}

/** Whether a cell is a date or a number, so that its row is not a header. */
export function isDataCell(cell: string): boolean {
  const text = cell.trim();
  return isDateCell(text) || isAmountCell(text);
}
