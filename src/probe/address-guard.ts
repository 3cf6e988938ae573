import net from 'node:net';
import ipaddr from 'ipaddr.js';
import { words } from '../text/words.ts';

/** A connection that the guard refused, or closed before a byte was written, because of its address. */
export class AddressRefused extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED';

  constructor(address: string, why: string) {
    super(`${address} is not a public address: ${why}`);
  }
}

/**
 * IPv4 ranges outside the public internet: the special-purpose registry, multicast, reserved ranges, and the address at
 * which Azure hosts serve their guests.
 */
const REFUSED_IPV4: readonly (readonly [range: string, why: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'a private network'],
  ['100.64.0.0/10', 'a carrier’s shared network'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'a cloud host’s own service'],
  ['169.254.0.0/16', 'link-local, where cloud metadata is served'],
  ['172.16.0.0/12', 'a private network'],
  ['192.0.0.0/24', 'protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'a DNS sink'],
  ['192.52.193.0/24', 'multicast tunnels'],
  ['192.88.99.0/24', '6to4 relays'],
  ['192.168.0.0/16', 'a private network'],
  ['192.175.48.0/24', 'a DNS sink'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
];

/** Only global unicast IPv6 addresses are public … */
const PUBLIC_IPV6 = '2000::/3';

/** … except these blocks in it, which are special or embed an IPv4 address. */
const REFUSED_IPV6: readonly (readonly [range: string, why: string])[] = [
  ['2001::/23', 'protocol assignments and Teredo'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4, which carries an IPv4 address'],
  ['2620:4f:8000::/48', 'a DNS sink'],
  ['3fff::/20', 'documentation'],
];

/**
 * Returns why an address is not on the public internet, or null if it is. IPv6 addresses that embed an IPv4 address
 * (mapped, compatible, NAT64 and others) are always refused, and so is text that is not a plain address.
 */
export function refuseAddress(text: string): string | null {
  const address = parsePlain(text);
  if (address === null) return 'not a plain IP address';
  if (address.kind() === 'ipv6' && !isWithin(address, PUBLIC_IPV6)) return 'outside global unicast';
  const refused = address.kind() === 'ipv4' ? REFUSED_IPV4 : REFUSED_IPV6;
  return refused.find(([range]) => isWithin(address, range))?.[1] ?? null;
}

/** Ranges are parsed on first use, because most runs check no address. */
const parsedRanges = new Map<string, ReturnType<typeof ipaddr.parseCIDR>>();

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, range: string): boolean {
  const parsed = parsedRanges.get(range) ?? ipaddr.parseCIDR(range);
  parsedRanges.set(range, parsed);
  return address.match(parsed);
}

/** Parses only the notations that resolvers and sockets use: no octal, hexadecimal or short IPv4, no zone. */
function parsePlain(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (net.isIPv4(text)) return ipaddr.IPv4.parse(text);
  return net.isIPv6(text) && !text.includes('%') ? ipaddr.IPv6.parse(text) : null;
}

/** Ports of other services that a request could disturb, including those that browsers refuse. */
const REFUSED_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 138, 139, 143, 161, 179, 389, 427, 445, 465, 512, 513,
  514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 873, 989, 990, 993, 995, 1433, 1521,
  1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5900, 5984,
  6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9200, 10250, 10080, 11211, 27017,
]);

/** Returns why a target's URL must not be requested, from the URL alone; null if it may be. */
export function refuseUrl(url: URL): string | null {
  const host = url.hostname.replace(/[[\]]/g, '');
  // For unknown schemes, the URL parser does not normalise addresses.
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `${url.protocol} is not http or https`;
  if (url.port !== '' && REFUSED_PORTS.has(Number(url.port)))
    return `port ${url.port} belongs to another service`;
  const literal = host.includes(':') || /^[\d.]+$/.test(host);
  const why = literal ? refuseAddress(host) : refuseName(host);
  return why === null ? null : `${host} is not on the public internet: ${why}`;
}

/** Top-level names that are never public: special use (IANA), and names for home and company networks (RFC 6762). */
const PRIVATE_TOP_LEVEL = words(
  'alt arpa corp home internal intranet invalid lan local localdomain localhost onion private test',
);

function refuseName(host: string): string | null {
  const labels = host.split('.').filter((label) => label !== '');
  // Stryker disable next-line StringLiteral: a name of dots only was already treated as an address.
  const top = labels.at(-1) ?? '';
  if (PRIVATE_TOP_LEVEL.has(top)) return 'a name for private use';
  // No top-level name begins with a digit, but a less strict parser would read this as an address.
  if (/^\d/.test(top)) return 'not a plain IP address';
  return labels.length < 2 ? 'a name without a dot, which only a private network knows' : null;
}
