/** A hash of 53 bits. With millions of ids, a collision occurs once in thousands of exports. */
export function idHash(id: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at);
    high = Math.imul(high ^ code, 0x85ebca77);
    low = Math.imul(low ^ code, 0xc2b2ae3d);
  }
  high = Math.imul(high ^ (high >>> 16), 0xc2b2ae3d) ^ low;
  low = Math.imul(low ^ (low >>> 15), 0x85ebca77) ^ high;
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
