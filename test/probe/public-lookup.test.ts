import type { LookupAddress } from 'node:dns';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { openConnection } from '../../src/probe/connector.ts';
import { createPublicLookup } from '../../src/probe/public-lookup.ts';
import { transportFailure } from '../../src/probe/transport-failure.ts';
import { a, aaaa, cname, type DnsQuestion, type DnsReply, type DnsServer, serveDns } from './dns-server.ts';
import { listen } from './raw-server.ts';

const NAME = 'target.example';

/** Long enough for a busy machine; only tests without an answer wait for it. */
const TIMEOUT_MS = 10_000;

const REFUSED = { code: 'address-refused', fault: 'harness' };
const UNDECIDED = { code: 'name-lookup-failed', fault: 'network' };
const NO_SUCH_NAME = { code: 'name-not-found', fault: 'network' };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function dnsReplying(...replies: Parameters<typeof serveDns>): Promise<DnsServer> {
  const server = await serveDns(...replies);
  closing.push(server.close);
  return server;
}

/** A server with one answer for A and another for AAAA. */
function dnsAnswering(ipv4: DnsReply, ipv6: DnsReply): Promise<DnsServer> {
  return dnsReplying(({ type }) => (type === 'A' ? ipv4 : ipv6));
}

interface LookupOptions {
  readonly name?: string;
  readonly timeoutMs?: number;
  readonly family?: 4 | 6 | 'IPv4' | 'IPv6';
}

/** The addresses, or the failure as an exchange reports it. */
function lookUp({ address }: Pick<DnsServer, 'address'>, options: LookupOptions = {}) {
  const { name = NAME, timeoutMs = TIMEOUT_MS, family = 0 } = options;
  const lookup = createPublicLookup({ timeoutMs, servers: [address] });
  return new Promise<readonly string[] | ReturnType<typeof transportFailure>>((resolve) => {
    lookup(name, { all: true, family }, (error, found) =>
      resolve(error === null ? (found as LookupAddress[]).map(checkedAddress) : transportFailure(error)),
    );
  });
}

function checkedAddress({ address, family }: LookupAddress): string {
  expect(family).toBe(address.includes(':') ? 6 : 4);
  return address;
}

const numbered = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('the lookup of public addresses', () => {
  it('returns the addresses of both families', async () => {
    const dns = await dnsAnswering(a(NAME, '8.8.8.8', '9.9.9.9'), aaaa(NAME, '2600::1'));
    expect(await lookUp(dns)).toEqual(['2600::1', '8.8.8.8', '9.9.9.9']);
    expect([...dns.queries].sort()).toEqual([`A ${NAME}`, `AAAA ${NAME}`]);
  });

  it.each([
    [4, 'A', '8.8.8.8'],
    ['IPv4', 'A', '8.8.8.8'],
    [6, 'AAAA', '2600::1'],
    ['IPv6', 'AAAA', '2600::1'],
  ] as const)('queries only the requested family: %s', async (family, type, address) => {
    const dns = await dnsAnswering(a(NAME, '8.8.8.8'), aaaa(NAME, '2600::1'));
    expect(await lookUp(dns, { family })).toEqual([address]);
    expect(dns.queries).toEqual([`${type} ${NAME}`]);
  });

  it('returns one address if the caller wants one', async () => {
    const dns = await dnsAnswering(a(NAME, '8.8.8.8', '9.9.9.9'), 'NOERROR');
    const lookup = createPublicLookup({ timeoutMs: TIMEOUT_MS, servers: [dns.address] });
    const found = await new Promise((resolve) => lookup(NAME, {}, (...results) => resolve(results)));
    expect(found).toEqual([null, '8.8.8.8', 4]);
  });

  it.each<[DnsReply, string, string]>([
    ['NXDOMAIN', 'ENOTFOUND', `${NAME} has no address`],
    ['REFUSED', 'EAI_AGAIN', `${NAME} could not be looked up: EREFUSED`],
    [a(NAME, '10.0.0.1'), 'ERR_ADDRESS_REFUSED', '10.0.0.1 is not a public address: a private network'],
  ])('returns an error instead of an address after %j', async (reply, code, message) => {
    const dns = await dnsAnswering(reply, 'NOERROR');
    const lookup = createPublicLookup({ timeoutMs: TIMEOUT_MS, servers: [dns.address] });
    const [error, addresses] = await new Promise<unknown[]>((resolve) =>
      lookup(NAME, { all: true }, (...results) => resolve(results)),
    );
    expect(error).toMatchObject({ code, message });
    expect(addresses).toEqual([]);
  });

  it('uses the name servers of the machine by default', async () => {
    const lookup = createPublicLookup({ timeoutMs: TIMEOUT_MS });
    const error = await new Promise((resolve) => lookup('no..name.example', {}, resolve));
    expect(error).toMatchObject({ code: 'ENOTFOUND' });
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['a private address among public ones', ['8.8.8.8', '10.0.0.1', '9.9.9.9'], ['2600::1']],
    ['a private address after more than are ever used', [...numbered(200, '8.8.8.'), '10.0.0.1'], []],
    ['a private address of the other family', ['8.8.8.8'], ['fd00::1']],
    ['loopback', ['127.0.0.1'], []],
    ['loopback in IPv6', [], ['::1']],
    ['this host', ['0.0.0.0'], ['::']],
    ['a private address in a mapped one', [], ['::ffff:10.0.0.1']],
    ['a public address in a mapped one', [], ['::ffff:8.8.8.8']],
    ['a private address behind NAT64', [], ['64:ff9b::a00:1']],
    ['the metadata address of a cloud', ['169.254.169.254'], []],
  ])('refuses a name that has %s', async (_, ipv4, ipv6) => {
    const dns = await dnsAnswering(a(NAME, ...ipv4), aaaa(NAME, ...ipv6));
    expect(await lookUp(dns)).toMatchObject(REFUSED);
  });

  it('refuses an alias of a name with a private address', async () => {
    const dns = await dnsAnswering(
      [...cname(NAME, 'inside.example'), ...a('inside.example', '10.0.0.1')],
      'NOERROR',
    );
    expect(await lookUp(dns)).toMatchObject(REFUSED);
  });

  it('follows an alias to a public name', async () => {
    const dns = await dnsAnswering(
      [...cname(NAME, 'outside.example'), ...a('outside.example', '8.8.8.8')],
      'NOERROR',
    );
    expect(await lookUp(dns)).toEqual(['8.8.8.8']);
  });

  it('finds no address for an alias without a target', async () => {
    const dns = await dnsAnswering(cname(NAME, 'nowhere.example'), cname(NAME, 'nowhere.example'));
    expect(await lookUp(dns)).toMatchObject(NO_SUCH_NAME);
  });

  it.each<[DnsReply, DnsReply]>([
    ['NXDOMAIN', 'NXDOMAIN'],
    ['NOERROR', 'NOERROR'],
    ['NXDOMAIN', 'NOERROR'],
  ])('reports that the name does not exist after %s and %s', async (ipv4, ipv6) => {
    expect(await lookUp(await dnsAnswering(ipv4, ipv6))).toMatchObject(NO_SUCH_NAME);
  });

  it.each(['NOERROR', 'NXDOMAIN'] as const)(
    'treats %s for one family as no address of that family',
    async (none) => {
      expect(await lookUp(await dnsAnswering(a(NAME, '8.8.8.8'), none))).toEqual(['8.8.8.8']);
      expect(await lookUp(await dnsAnswering(none, aaaa(NAME, '2600::1')))).toEqual(['2600::1']);
    },
  );

  it.each(['two..dots.example', `${'a'.repeat(64)}.example`, `${'long.'.repeat(60)}example`])(
    'sends no query for an invalid name: %s',
    async (name) => {
      const dns = await dnsAnswering('SERVFAIL', 'SERVFAIL');
      expect(await lookUp(dns, { name })).toMatchObject(NO_SUCH_NAME);
      expect(dns.queries).toEqual([]);
    },
  );

  it.each(['SERVFAIL', 'REFUSED', 'FORMERR', 'NOTIMP'] as const)(
    'is undecided after %s for one family or both',
    async (error) => {
      expect(await lookUp(await dnsAnswering(error, error))).toMatchObject(UNDECIDED);
      expect(await lookUp(await dnsAnswering(error, 'NXDOMAIN'))).toMatchObject(UNDECIDED);
      expect(await lookUp(await dnsAnswering(a(NAME, '8.8.8.8'), error))).toMatchObject(UNDECIDED);
      expect(await lookUp(await dnsAnswering(error, aaaa(NAME, '2600::1')))).toMatchObject(UNDECIDED);
    },
  );

  it('refuses a private address even if the other family is not answered', async () => {
    expect(await lookUp(await dnsAnswering(a(NAME, '10.0.0.1'), 'SERVFAIL'))).toMatchObject(REFUSED);
  });

  it('is undecided if one family is not answered', async () => {
    const timeoutMs = 200;
    expect(await lookUp(await dnsAnswering(a(NAME, '8.8.8.8'), 'silence'), { timeoutMs })).toMatchObject(
      UNDECIDED,
    );
    expect(await lookUp(await dnsAnswering('silence', aaaa(NAME, '2600::1')), { timeoutMs })).toMatchObject(
      UNDECIDED,
    );
  });

  it('stops at its time-out, whatever the resolver would do', async () => {
    const dns = await dnsAnswering('silence', 'silence');
    expect(await lookUp(dns, { timeoutMs: 200 })).toMatchObject(UNDECIDED);
    expect(dns.queries.length).toBeLessThan(6);
  });

  it('repeats a lost query up to twice', async () => {
    const lossy = ({ name, timesBefore }: DnsQuestion): DnsReply =>
      timesBefore < 2 ? 'silence' : a(name, '8.8.8.8');
    const dns = await dnsReplying((question) => (question.type === 'A' ? lossy(question) : 'NOERROR'));
    // The resolver repeats after a quarter of the time, and then after twice that: a quarter is left for a slow
    // machine.
    expect(await lookUp(dns, { timeoutMs: 16_000 })).toEqual(['8.8.8.8']);
  });

  it('does not blame the target if the DNS server is down', async () => {
    const dns = await serveDns(() => 'silence');
    await dns.close();
    expect(await lookUp(dns)).toMatchObject(UNDECIDED);
  });

  it('is undecided after a truncated answer', async () => {
    const dns = await dnsAnswering('truncated', 'NOERROR');
    expect(await lookUp(dns)).toMatchObject(UNDECIDED);
  });

  it('checks hundreds of addresses and returns a few of each family', async () => {
    const ipv4 = Array.from({ length: 900 }, (_, index) => `8.8.${index >> 8}.${index & 255}`);
    const ipv6 = Array.from({ length: 900 }, (_, index) => `2600::${(index + 1).toString(16)}`);
    const dns = await dnsReplying(
      () => 'truncated',
      ({ name, type }) => (type === 'A' ? a(name, ...ipv4) : aaaa(name, ...ipv6)),
    );
    expect(await lookUp(dns)).toEqual([...ipv6.slice(0, 16), ...ipv4.slice(0, 16)]);
    const withPrivate = await dnsReplying(
      () => 'truncated',
      ({ name, type }) => (type === 'A' ? a(name, ...ipv4, '10.0.0.1') : aaaa(name, ...ipv6)),
    );
    expect(await lookUp(withPrivate)).toMatchObject(REFUSED);
  });

  it('checks each lookup again, so that a name that becomes private is refused', async () => {
    const dns = await dnsReplying(({ name, type, timesBefore }) =>
      type === 'A' ? a(name, timesBefore === 0 ? '8.8.8.8' : '127.0.0.1') : 'NOERROR',
    );
    expect(await lookUp(dns)).toEqual(['8.8.8.8']);
    expect(await lookUp(dns)).toMatchObject(REFUSED);
  });

  it('queries DNS for names in the hosts file', async () => {
    const dns = await dnsAnswering('NXDOMAIN', 'NXDOMAIN');
    expect(await lookUp(dns, { name: 'localhost' })).toMatchObject(NO_SUCH_NAME);
    expect(dns.queries).toContain('A localhost');
  });

  it('sends no query for an address', async () => {
    const dns = await dnsAnswering(a('127.0.0.1', '8.8.8.8'), 'NOERROR');
    expect(await lookUp(dns, { name: '127.0.0.1' })).toMatchObject(REFUSED);
    expect(await lookUp(dns, { name: '::1' })).toMatchObject(REFUSED);
    expect(await lookUp(dns, { name: '8.8.8.8' })).toEqual(['8.8.8.8']);
    expect(dns.queries).toEqual([]);
  });
});

describe('a connection with public addresses only', () => {
  const connectTo = (port: number, dns: DnsServer, timeoutMs = TIMEOUT_MS) =>
    openConnection(
      new URL(`http://${NAME}:${port}/`),
      {
        timeoutMs,
        publicOnly: true,
        ca: null,
        lookup: createPublicLookup({ timeoutMs: timeoutMs / 2, servers: [dns.address] }),
      },
      new AbortController().signal,
    ).then(
      ({ socket }) => {
        socket.destroy();
        return 'connected';
      },
      (error: unknown) => transportFailure(error),
    );

  it('is not opened to a name that resolves to this machine', async () => {
    const dns = await dnsAnswering(a(NAME, '127.0.0.1'), 'NOERROR');
    const server = await listen(({ socket }) => socket.end('seen'));
    closing.push(server.close);
    expect(await connectTo(server.port, dns)).toMatchObject(REFUSED);
    // Connections arrive in the order in which they were opened, so an earlier one would be visible by now.
    await text(connect(server.port, '127.0.0.1'));
    expect(server.connections).toHaveLength(1);
    expect([...dns.queries].sort()).toEqual([`A ${NAME}`, `AAAA ${NAME}`]);
  });

  it('reports a DNS problem, and does not blame the target', async () => {
    const dns = await dnsAnswering('SERVFAIL', 'SERVFAIL');
    expect(await connectTo(1, dns)).toMatchObject(UNDECIDED);
  });

  it('reports a silent DNS server before its own time-out', async () => {
    const dns = await dnsAnswering('silence', 'silence');
    expect(await connectTo(1, dns, 4000)).toMatchObject(UNDECIDED);
  });
});
