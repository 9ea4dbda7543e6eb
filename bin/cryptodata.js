#!/usr/bin/env node
// CommonJS, in syntax that any Node reads: it starts faster, and an old Node gets a sentence instead of a syntax error.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const words = process.argv.slice(2);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`cryptodata needs Node.js 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 1;
} else {
  const text = versionOrHelp();
  // Ignore a closed stdout.
  if (text !== undefined) process.stdout.on('error', () => {}).write(text);
  else start();
}

/** The text of `--version` and `--help`, which need no program. */
function versionOrHelp() {
  const names = words.slice(0, -1);
  const last = words[words.length - 1];
  if (names.length === 0 && (last === '--version' || last === '-V'))
    return `${require('../package.json').version}\n`;
  if ((last !== '--help' && last !== '-h') || !names.every((name) => /^[a-z-]+$/.test(name)))
    return undefined;
  const { isTTY, columns } = process.stdout;
  const width = isTTY ? Math.min(columns || 80, 100) : 100;
  try {
    return readFileSync(
      join(__dirname, '../dist/help', String(width), `${['cryptodata', ...names].join(' ')}.txt`),
    );
  } catch {
    // Another width, or an unknown command.
    return undefined;
  }
}

function start() {
  // Newer versions of Node have this cache. On Node 20, loading the module would only take time.
  const { enableCompileCache = () => {} } = major < 22 ? {} : require('node:module');
  enableCompileCache();
  // Positions in the sources, for bug reports.
  if (words.includes('--debug')) process.setSourceMapsEnabled(true);
  require('../dist/main.cjs').start();
}
