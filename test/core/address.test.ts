import { describe, expect, test } from 'vitest';
import { isLoopback, parseAddress } from '../../src/core/address.ts';

describe('parseAddress', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['HTTPS://API.Example.com:443//', 'https://api.example.com'],
    ['https://api.example.com/base/', 'https://api.example.com/base'],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
    ['http://localhost:1/x', 'http://localhost:1/x'],
    ['http://[::1]:99', 'http://[::1]:99'],
    ['http://2130706433:5', 'http://127.0.0.1:5'],
  ])('parses the address %s as %s', (text, address) => {
    expect(parseAddress(text, 'It')).toBe(address);
  });

  test.each([
    ['api.example.com', 'BAD_ADDRESS'],
    ['', 'BAD_ADDRESS'],
    ['localhost:8787', 'BAD_ADDRESS'],
    ['http://api.example.com', 'INSECURE_ADDRESS'],
    ['http://localhost.evil.test', 'INSECURE_ADDRESS'],
    ['http://127.0.0.1.evil.test', 'INSECURE_ADDRESS'],
    ['http://127.evil.test', 'INSECURE_ADDRESS'],
    ['http://0.0.0.0', 'INSECURE_ADDRESS'],
    ['ftp://127.0.0.1', 'INSECURE_ADDRESS'],
    ['file:///etc/passwd', 'INSECURE_ADDRESS'],
    ['https://user:pass@api.example.com', 'BAD_ADDRESS'],
    ['https://user@api.example.com', 'BAD_ADDRESS'],
    ['http://127.0.0.1@evil.test', 'INSECURE_ADDRESS'],
    ['https://api.example.com?x=1', 'BAD_ADDRESS'],
    ['https://api.example.com#x', 'BAD_ADDRESS'],
  ])('rejects %j', (text, code) => {
    expect(() => parseAddress(text, 'It')).toThrow(expect.objectContaining({ kind: 'usage', code }));
  });
});

describe('isLoopback', () => {
  test.each(['localhost', '127.0.0.1', '127.255.1.2', '::1', '[::1]'])('accepts %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });
  test.each([
    '',
    'localhost.',
    '10.0.0.1',
    '128.0.0.1',
    '::2',
    '[::ffff:127.0.0.1]',
    '127.0.0.1.x',
    'mylocalhost',
  ])('rejects %j', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});
