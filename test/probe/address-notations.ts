import { type AddressBits, IPV4_INTERVALS, IPV6_INTERVALS } from './special-addresses.ts';

/** Returns a whole number from 0 to just below the limit; the caller chooses the source, such as a random generator. */
export type Pick = (limit: number) => number;

/** An address in one of its possible notations. */
export interface Written {
  readonly notation: string;
  readonly text: string;
  /**
   * The address that a URL with this host must lead to; `refused` if the parser must refuse it; `unclear` if either is
   * allowed.
   */
  readonly inUrl: AddressBits | 'refused' | 'unclear';
}

export function writeAddress(pick: Pick): Written {
  return pick(2) === 0 ? writeIpv4(pickIpv4(pick), pick) : writeIpv6(pickIpv6(pick), pick);
}

/** A URL to the host, with distracting parts around it. */
export function writeUrl({ text }: Written, pick: Pick): string {
  const before = oneOf(pick, [
    'http://',
    'https://',
    'HTTP://',
    'http:\\\\',
    'http:',
    'http://8.8.8.8@',
    'http://u:p@',
  ]);
  const after = oneOf(pick, [
    '',
    '/',
    '/mcp',
    ':8080/',
    ':80',
    '?http://8.8.8.8/',
    '#@8.8.8.8',
    '\\@8.8.8.8/',
  ]);
  const host = text.includes(':') && !text.startsWith('[') ? `[${text}]` : text;
  return `${before}${host}${after}`;
}

function oneOf<T>(pick: Pick, choices: readonly T[]): T {
  return choices[pick(choices.length)] as T;
}

/** Half of them are at the edges of the ranges: the first, the last, one before, one after. */
function pickIpv4(pick: Pick): number {
  const anywhere = pick(2 ** 32);
  const { first, last } = oneOf(pick, IPV4_INTERVALS);
  const near = oneOf(pick, [first - 1, first, last, last + 1]);
  const inside = first + (anywhere % (last - first + 1));
  return oneOf(pick, [near, near, inside, anywhere]) >>> 0;
}

const GLOBAL_UNICAST = 0x2n << 124n;

function pickIpv6(pick: Pick): bigint {
  const anywhere = pickBits(pick);
  const { first, last } = oneOf(pick, IPV6_INTERVALS);
  const near = oneOf(pick, [first - 1n, first, last, last + 1n]);
  const inside = first + (anywhere % (last - first + 1n));
  const global = GLOBAL_UNICAST | (anywhere >> 3n);
  const carrying = oneOf(pick, CARRIERS)(BigInt(pickIpv4(pick)), anywhere);
  return BigInt.asUintN(128, oneOf(pick, [near, near, near, inside, global, anywhere, carrying, carrying]));
}

function pickBits(pick: Pick): bigint {
  let bits = 0n;
  for (let word = 0; word < 4; word += 1) bits = (bits << 32n) | BigInt(pick(2 ** 32));
  return bits;
}

/** The ways to embed an IPv4 address in an IPv6 one; `open` provides the bits that a form leaves open. */
const CARRIERS: readonly ((ipv4: bigint, open: bigint) => bigint)[] = [
  (ipv4) => ipv4, // compatible
  (ipv4) => (0xffffn << 32n) | ipv4, // mapped
  (ipv4) => (0xffffn << 48n) | ipv4, // translated
  (ipv4) => (0x0064_ff9bn << 96n) | ipv4, // NAT64
  (ipv4, open) => (0x0064_ff9b_0001n << 80n) | (BigInt.asUintN(48, open) << 32n) | ipv4, // NAT64, local use
  (ipv4, open) => (0x2002n << 112n) | (ipv4 << 80n) | BigInt.asUintN(80, open), // 6to4
  (ipv4, open) => (0x2001n << 112n) | (BigInt.asUintN(64, open) << 32n) | (ipv4 ^ 0xffff_ffffn), // Teredo
  (ipv4, open) => (0x2001n << 112n) | (ipv4 << 64n) | BigInt.asUintN(64, open), // Teredo's server
  (ipv4, open) => GLOBAL_UNICAST | ((open >> 67n) << 64n) | (0x5efen << 32n) | ipv4, // ISATAP
];

function writeIpv4(bits: number, pick: Pick): Written {
  const notation = oneOf(pick, ['dotted', 'dotted', 'parts', 'padded', 'encoded', 'wide', 'long'] as const);
  const octets = [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255];
  const dotted = octets.join('.');
  switch (notation) {
    case 'dotted':
      return { notation, text: dotted, inUrl: bits };
    case 'parts':
      return { notation, text: writeParts(bits, pick), inUrl: bits };
    case 'padded':
      // Some parsers read it as decimal, others as octal.
      return { notation, text: octets.map((octet) => `0${octet}`).join('.'), inUrl: 'unclear' };
    case 'encoded':
      return { notation, text: percentEncode(dotted, pick(dotted.length)), inUrl: bits };
    case 'wide':
      return { notation, text: dotted.replaceAll(/[0-9]/g, widen), inUrl: bits };
    case 'long':
      return { notation, text: `${dotted}.${pick(256)}`, inUrl: 'refused' };
  }
}

/** One to four numbers, each octal, decimal or hexadecimal; the last one contains the remaining bits. */
function writeParts(bits: number, pick: Pick): string {
  const count = 1 + pick(4);
  const leading = [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255].slice(0, count - 1);
  const rest = bits % 256 ** (5 - count);
  const end = oneOf(pick, ['', '', '.']);
  return `${[...leading, rest].map((part) => writeNumber(part, pick)).join('.')}${end}`;
}

function writeNumber(value: number, pick: Pick): string {
  const zeros = '0'.repeat(pick(3));
  return oneOf(pick, [
    String(value),
    `0${zeros}${value.toString(8)}`,
    `0x${zeros}${value.toString(16)}`,
    `0X${zeros}${value.toString(16).toUpperCase()}`,
  ]);
}

function percentEncode(text: string, at: number): string {
  return `${text.slice(0, at)}%${text.charCodeAt(at).toString(16)}${text.slice(at + 1)}`;
}

/** The full-width form of a digit, which host names normalise to the ASCII digit. */
function widen(digit: string): string {
  return String.fromCharCode(0xff10 + Number(digit));
}

function writeIpv6(bits: bigint, pick: Pick): Written {
  const groups = Array.from({ length: 8 }, (_, index) =>
    Number((bits >> BigInt(112 - 16 * index)) & 0xffffn),
  );
  const notation = oneOf(pick, [
    'full',
    'padded',
    'shortened',
    'dotted',
    'both',
    'zone',
    'brackets',
    'long',
  ] as const);
  const plain = groups.map((group) => group.toString(16));
  const [g6 = 0, g7 = 0] = groups.slice(6);
  const ipv4 = `${g6 >> 8}.${g6 & 255}.${g7 >> 8}.${g7 & 255}`;
  const written = (text: string, inUrl: Written['inUrl'] = bits): Written => ({
    notation,
    text: pick(2) === 0 ? text : text.toUpperCase(),
    inUrl,
  });
  switch (notation) {
    case 'full':
      return written(plain.join(':'));
    case 'padded':
      return written(groups.map((group) => group.toString(16).padStart(1 + pick(4), '0')).join(':'));
    case 'shortened':
      return written(shorten(plain, pick));
    case 'dotted':
      return written([...plain.slice(0, 6), ipv4].join(':'));
    case 'both':
      return written(shorten([...plain.slice(0, 6), ipv4], pick));
    case 'zone':
      return written(`${shorten(plain, pick)}%${oneOf(pick, ['eth0', '1', '25eth0', '', '25'])}`, 'refused');
    case 'brackets':
      return written(`[${shorten(plain, pick)}]`);
    case 'long':
      return written(
        oneOf(pick, [
          `0${plain.join(':0000')}`,
          `${plain.join(':')}:0`,
          `${plain.join(':')}::`,
          `::${plain.join(':')}`,
        ]),
        'refused',
      );
  }
}

/** Omits any run of zeros, although only the longest one should be omitted. */
function shorten(groups: readonly string[], pick: Pick): string {
  const zeros = groups.flatMap((group, index) => (group === '0' ? [index] : []));
  if (zeros.length === 0) return groups.join(':');
  const start = oneOf(pick, zeros);
  let end = start;
  while (groups[end] === '0') end += 1;
  return `${groups.slice(0, start).join(':')}::${groups.slice(end).join(':')}`;
}
