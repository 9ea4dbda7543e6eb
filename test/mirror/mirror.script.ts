// A run of a mirror in its own process, which tests kill. Arguments: URL FOLDER.
import { Agent } from 'undici';
import { mirrored } from './request.ts';

const [url = '', folder = ''] = process.argv.slice(2);
await mirrored(folder, { url, dispatcher: new Agent() });
process.exit(0);
