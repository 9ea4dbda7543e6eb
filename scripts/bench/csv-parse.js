// Reads a CSV file with csv-parse, as the documentation of csv-parse shows, and does nothing with the records.
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';

const [file] = process.argv.slice(2);
let records = 0;
for await (const _ of createReadStream(file).pipe(parse())) records += 1;
console.log(records);
