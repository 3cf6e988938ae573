/** SHA-1 of a text of ASCII characters, as bytes: what the WebSocket handshake asks for (RFC 6455, section 4.2.2). */
export function sha1(ascii: string): Uint8Array {
  const blocks = paddedWords(ascii);
  const hash = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let start = 0; start < blocks.length; start += 16) {
    const words = blocks.slice(start, start + 16);
    for (let t = 16; t < 80; t += 1)
      words[t] = rotated(
        (words[t - 3] ?? 0) ^ (words[t - 8] ?? 0) ^ (words[t - 14] ?? 0) ^ (words[t - 16] ?? 0),
        1,
      );
    let [a = 0, b = 0, c = 0, d = 0, e = 0] = hash;
    for (let t = 0; t < 80; t += 1) {
      const next = (rotated(a, 5) + mixed(t, b, c, d) + e + (words[t] ?? 0)) | 0;
      [e, d, c, b, a] = [d, c, rotated(b, 30), a, next];
    }
    for (const [index, value] of [a, b, c, d, e].entries()) hash[index] = ((hash[index] ?? 0) + value) | 0;
  }
  return Uint8Array.from(
    hash.flatMap((word) => [word >>> 24, word >>> 16, word >>> 8, word]),
    (byte) => byte & 0xff,
  );
}

function mixed(t: number, b: number, c: number, d: number): number {
  if (t < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (t < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** The text, a one bit, zeros, and the length in bits, in words of 32 bits. */
function paddedWords(ascii: string): number[] {
  const words = new Array<number>(Math.ceil((ascii.length + 9) / 64) * 16).fill(0);
  const put = (index: number, byte: number): void => {
    words[index >> 2] = (words[index >> 2] ?? 0) | (byte << (24 - 8 * (index & 3)));
  };
  for (let index = 0; index < ascii.length; index += 1) put(index, ascii.charCodeAt(index));
  put(ascii.length, 0x80);
  words[words.length - 1] = ascii.length * 8;
  return words;
}
