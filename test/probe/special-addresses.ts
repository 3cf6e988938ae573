/**
 * The ranges outside the public internet, in a second, independent form: the first and last address of each, in
 * hexadecimal digits. Short first addresses are padded with zeros, short last ones with Fs. Source, entry by entry:
 * IANA's registries of special-purpose addresses, of IPv6 space and of multicast.
 */
type Entries = readonly (readonly [first: string, last: string])[];

const SPECIAL_IPV4: Entries = [
  ['00', '00'], // this network
  ['00000000', '00000000'], // this host on this network
  ['0a', '0a'], // private use
  ['644', '647'], // shared address space
  ['6464_64c8', '6464_64c8'], // metadata service of Alibaba
  ['7f', '7f'], // loopback
  ['a83f_8110', 'a83f_8110'], // services of Azure hosts for their guests
  ['a9fe', 'a9fe'], // link-local
  ['a9fe_a9fe', 'a9fe_a9fe'], // metadata service of most clouds
  ['ac1', 'ac1'], // private use
  ['c000_00', 'c000_00'], // IETF protocol assignments
  ['c000_0000', 'c000_0007'], // IPv4 service continuity prefix
  ['c000_0008', 'c000_0008'], // dummy address
  ['c000_0009', 'c000_0009'], // port control anycast
  ['c000_000a', 'c000_000a'], // TURN anycast
  ['c000_00aa', 'c000_00ab'], // NAT64 discovery
  ['c000_00c0', 'c000_00c0'], // metadata service of Oracle
  ['c000_02', 'c000_02'], // TEST-NET-1
  ['c01f_c4', 'c01f_c4'], // AS112
  ['c034_c1', 'c034_c1'], // AMT
  ['c058_63', 'c058_63'], // 6to4 relays
  ['c058_6302', 'c058_6302'], // 6a44 relays
  ['c0a8', 'c0a8'], // private use
  ['c0af_30', 'c0af_30'], // direct delegation AS112
  ['c612', 'c613'], // benchmarking
  ['c633_64', 'c633_64'], // TEST-NET-2
  ['cb00_71', 'cb00_71'], // TEST-NET-3
  ['e', 'e'], // multicast
  ['f', 'f'], // reserved
  ['ffff_ffff', 'ffff_ffff'], // limited broadcast
];

const SPECIAL_IPV6: Entries = [
  // Outside global unicast.
  ['0', '1'],
  ['4', 'f'],
  ['0000_0000_0000_0000_0000_0000_0000_0000', '0000_0000_0000_0000_0000_0000_0000_0000'], // unspecified
  ['0000_0000_0000_0000_0000_0000_0000_0001', '0000_0000_0000_0000_0000_0000_0000_0001'], // loopback
  ['0000_0000_0000_0000_0000_0000', '0000_0000_0000_0000_0000_0000'], // IPv4-compatible
  ['0000_0000_0000_0000_0000_ffff', '0000_0000_0000_0000_0000_ffff'], // IPv4-mapped
  ['0000_0000_0000_0000_ffff_0000', '0000_0000_0000_0000_ffff_0000'], // IPv4-translated
  ['0064_ff9b_0000_0000_0000_0000', '0064_ff9b_0000_0000_0000_0000'], // NAT64
  ['0064_ff9b_0001', '0064_ff9b_0001'], // NAT64, local use
  ['0100_0000_0000_0000', '0100_0000_0000_0000'], // discard-only
  ['0100_0000_0000_0001', '0100_0000_0000_0001'], // dummy prefix
  ['5f00', '5f00'], // segment routing
  ['fc', 'fd'], // unique-local
  ['fd00_0ec2_0000_0000_0000_0000_0000_0254', 'fd00_0ec2_0000_0000_0000_0000_0000_0254'], // metadata service of Amazon
  ['fe8', 'feb'], // link-local
  ['fec', 'fef'], // site-local
  ['ff', 'ff'], // multicast
  // Inside global unicast.
  ['2001_00', '2001_01'], // IETF protocol assignments
  ['2001_0000', '2001_0000'], // Teredo
  ['2001_0001_0000_0000_0000_0000_0000_0001', '2001_0001_0000_0000_0000_0000_0000_0003'], // anycast
  ['2001_0002_0000', '2001_0002_0000'], // benchmarking
  ['2001_0003', '2001_0003'], // AMT
  ['2001_0004_0112', '2001_0004_0112'], // AS112
  ['2001_001', '2001_001'], // ORCHID
  ['2001_002', '2001_002'], // ORCHIDv2
  ['2001_003', '2001_003'], // drone remote identification
  ['2001_0db8', '2001_0db8'], // documentation
  ['2002', '2002'], // 6to4
  ['2620_004f_8000', '2620_004f_8000'], // direct delegation AS112
  ['3fff_0', '3fff_0'], // documentation
];

export interface Interval<T> {
  readonly first: T;
  readonly last: T;
}

function digits(entry: string, length: number, filler: string): string {
  return `0x${entry.replaceAll('_', '').padEnd(length, filler)}`;
}

export const IPV4_INTERVALS = SPECIAL_IPV4.map(
  ([first, last]): Interval<number> => ({
    first: Number(digits(first, 8, '0')),
    last: Number(digits(last, 8, 'f')),
  }),
);

export const IPV6_INTERVALS = SPECIAL_IPV6.map(
  ([first, last]): Interval<bigint> => ({
    first: BigInt(digits(first, 32, '0')),
    last: BigInt(digits(last, 32, 'f')),
  }),
);

/** An IPv4 address as a 32-bit number, an IPv6 address as a 128-bit bigint. */
export type AddressBits = number | bigint;

export function isSpecial(bits: AddressBits): boolean {
  return typeof bits === 'number'
    ? IPV4_INTERVALS.some(({ first, last }) => first <= bits && bits <= last)
    : IPV6_INTERVALS.some(({ first, last }) => first <= bits && bits <= last);
}

/** The address in a text, in the notations of resolvers and sockets (RFC 4291, section 2.2); otherwise null. */
export function readAddress(text: string): AddressBits | null {
  return text.includes(':') ? readIpv6(text) : readIpv4(text);
}

function readIpv4(text: string): number | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256))
    return null;
  return parts.reduce((bits, part) => bits * 256 + Number(part), 0);
}

function readIpv6(text: string): bigint | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [before, after] = halves.map((half, index) => readGroups(half, index === halves.length - 1));
  if (before === undefined || before === null || after === null) return null;
  const given = before.length + (after?.length ?? 0);
  if (after === undefined ? given !== 8 : given > 7) return null;
  const groups = [...before, ...new Array<number>(8 - given).fill(0), ...(after ?? [])];
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(group), 0n);
}

/** The groups on one side of `::`; only the last one may be an IPv4 address. */
function readGroups(half: string, isEnd: boolean): readonly number[] | null {
  if (half === '') return [];
  const groups: number[] = [];
  const parts = half.split(':');
  for (const [index, part] of parts.entries()) {
    const ipv4 = isEnd && index === parts.length - 1 ? readIpv4(part) : null;
    if (ipv4 !== null) groups.push(ipv4 >>> 16, ipv4 & 0xffff);
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return null;
  }
  return groups;
}
