import { describe, expect, test } from 'vitest';
import { lookOfState } from '../../src/formats/state-look.ts';
import { paint, styleOf } from '../../src/formats/style.ts';

const terminal = { isTTY: true, columns: 120 };

describe('styleOf', () => {
  test('styleOf sets a width for a terminal, but not for a file or a pipe', () => {
    expect(styleOf(terminal, {})).toEqual({ terminal: true, colour: true, width: 120 });
    expect(styleOf({ isTTY: true }, {})).toEqual({ terminal: true, colour: true, width: 80 });
    expect(styleOf({ isTTY: true, columns: 0 }, {}).width).toBe(80);
    expect(styleOf({ columns: 120 }, {})).toEqual({ terminal: false, colour: false, width: undefined });
  });

  test.each([
    [{ NO_COLOR: '1' }, false, false],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, false, false],
    [{ NO_COLOR: '' }, true, false],
    [{ FORCE_COLOR: '1' }, true, true],
    [{ FORCE_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '0' }, false, false],
    [{ FORCE_COLOR: 'false' }, false, false],
    [{ FORCE_COLOR: '1', TERM: 'dumb' }, true, true],
    [{ TERM: 'dumb' }, false, false],
    [{ TERM: 'xterm' }, true, false],
  ])(
    'with the environment %j, the setting for colour is %s on a terminal and %s in a pipe',
    (env, onTerminal, inPipe) => {
      expect([styleOf(terminal, env).colour, styleOf({}, env).colour]).toEqual([onTerminal, inPipe]);
    },
  );
});

test('paint adds colour codes only if the style has colour and the text is not empty', () => {
  const style = styleOf(terminal, {});
  expect(paint(style, 'red', 'x')).toBe('\u001b[31mx\u001b[39m');
  expect(paint(style, 'red', '')).toBe('');
  expect(paint({ ...style, colour: false }, 'red', 'x')).toBe('x');
});

test('lookOfState accepts states in upper and lower case', () => {
  expect(['FAILED', 'Syncing', 'ok', 'new'].map(lookOfState)).toEqual(['red', 'yellow', 'green', undefined]);
});
