// Runs a mirror in a separate process, so that a test can kill the process. Arguments: URL FOLDER.
import { Agent } from 'undici';
import { mirrored } from './request.ts';

const [url = '', folder = ''] = process.argv.slice(2);
await mirrored(folder, { url, dispatcher: new Agent(), tables: ['labels'] });
process.exit(0);
