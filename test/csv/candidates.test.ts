import { expect, test } from 'vitest';
import { candidatesFor } from '../../src/csv/candidates.ts';
import { encode } from './encode.ts';

test.each([
  ['windows-1251', 'Дата;Сумма'],
  ['koi8-r', 'Дата;Сумма;Комиссия'],
  ['shift_jis', '日付,金額'],
  ['shift_jis', '取引日時,通貨ペア,数量,手数料'],
  ['euc-jp', '日付,金額'],
  ['windows-1252', 'Datum;Menge;Gebühr'],
  ['macintosh', 'Datum;Menge;Gebühr'],
  ['windows-1252', 'Date;Quantité;Frais;Coût en €'],
  ['gb18030', '日期,数量,金额'],
  ['big5', '日期,數量,金額'],
  ['euc-kr', '날짜,수량,금액'],
  ['windows-1250', 'Data;Ilość;Opłata;Wartość'],
  ['windows-1254', 'Tarih;Miktar;Ücret;İşlem'],
  ['windows-1253', 'Ημερομηνία;Ποσότητα'],
  ['windows-1252', 'Fecha;Descripción;Comisión'],
  ['windows-1250', 'Datum;Množství;Poplatek;Částka'],
  ['windows-1255', 'תאריך,סכום'],
  ['windows-1256', 'التاريخ,المبلغ'],
])('the encoding %s of the header %s is among at most four candidates', (label, header) => {
  const candidates = candidatesFor(encode(header, label));
  expect(candidates.length).toBeLessThanOrEqual(4);
  expect(candidates.map(({ reading }) => reading)).toContain(header);
});
