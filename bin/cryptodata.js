#!/usr/bin/env node
// This file is a CommonJS module, because CommonJS starts faster than ES modules. Old versions of Node can parse this file, so
// they print a clear message instead of a syntax error.
const { fstatSync, readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

const words = process.argv.slice(2);
const [major, minor] = process.versions.node.split('.').map(Number);
if (words[0] === '__complete') complete();
else if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`cryptodata needs Node.js 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 1;
} else {
  const text = versionOrHelp();
  if (text !== undefined) print(Buffer.from(text));
  else start();
}

/** Prints completions for the scripts in completions/. Ignores every error, because an error message would garble the prompt. */
function complete() {
  try {
    const { completions } = require('../dist/complete.cjs');
    const tree = JSON.parse(readFileSync(join(__dirname, '../dist/completions.json'), 'utf8'));
    print(Buffer.from(completions(words.slice(1), tree, process.env)), () => {});
  } catch {}
}

/** Returns the output of `--version` or `--help` without loading the program. For any other command line, returns undefined. */
function versionOrHelp() {
  const names = words.slice(0, -1);
  const last = words[words.length - 1];
  if (names.length === 0 && (last === '--version' || last === '-V'))
    return `${require('../package.json').version}\n`;
  if ((last !== '--help' && last !== '-h') || !names.every((name) => /^[a-z-]+$/.test(name)))
    return undefined;
  const { isTTY, columns } = fstatSync(1).isCharacterDevice() ? process.stdout : {};
  const width = isTTY ? Math.min(columns || 80, 100) : 100;
  try {
    return readFileSync(
      join(__dirname, '../dist/help', String(width), `${['cryptodata', ...names].join(' ')}.txt`),
    );
  } catch {
    // The build has no help page for this width, or the command is unknown.
    return undefined;
  }
}

/** Writes to stdout without `process.stdout`. Loading `process.stdout` would take a tenth of the run time of `--version`. */
function print(bytes, fail = start) {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(1, bytes, written);
  } catch (error) {
    // A full or closed pipe is not an error. For any other error, such as a full disk, the program prints the reason.
    if (error.code !== 'EAGAIN' && error.code !== 'EPIPE') fail();
    else process.stdout.on('error', () => {}).write(bytes.subarray(written));
  }
}

function start() {
  // The compile cache needs Node 22, so older versions do not load the module.
  const { enableCompileCache = () => {} } = major < 22 ? {} : require('node:module');
  enableCompileCache();
  // With source maps, the stack traces in bug reports show positions in the TypeScript sources.
  if (words.includes('--debug')) process.setSourceMapsEnabled(true);
  require('../dist/main.cjs').start();
}
