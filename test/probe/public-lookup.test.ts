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

/** Long enough for a machine that is busy with other things; only where nothing answers is any of it waited for. */
const TIMEOUT_MS = 10_000;

const REFUSED = { code: 'address-refused', fault: 'harness' };
const UNDECIDED = { code: 'name-lookup-failed', fault: 'network' };
const NO_SUCH_NAME = { code: 'name-not-found', fault: 'network' };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function dnsThat(...replies: Parameters<typeof serveDns>): Promise<DnsServer> {
  const server = await serveDns(...replies);
  closing.push(server.close);
  return server;
}

/** A server that says the one thing when asked for A, and the other when asked for AAAA. */
function dnsOf(ipv4: DnsReply, ipv6: DnsReply): Promise<DnsServer> {
  return dnsThat(({ type }) => (type === 'A' ? ipv4 : ipv6));
}

interface Asking {
  readonly name?: string;
  readonly timeoutMs?: number;
  readonly family?: 4 | 6 | 'IPv4' | 'IPv6';
}

/** The addresses, or what the exchange would say of the failure. */
function lookUp({ address }: Pick<DnsServer, 'address'>, asking: Asking = {}) {
  const { name = NAME, timeoutMs = TIMEOUT_MS, family = 0 } = asking;
  const lookup = createPublicLookup({ timeoutMs, servers: [address] });
  return new Promise<readonly string[] | ReturnType<typeof transportFailure>>((resolve) => {
    lookup(name, { all: true, family }, (error, found) =>
      resolve(error === null ? (found as LookupAddress[]).map(wellFormed) : transportFailure(error)),
    );
  });
}

function wellFormed({ address, family }: LookupAddress): string {
  expect(family).toBe(address.includes(':') ? 6 : 4);
  return address;
}

const numbered = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('the lookup for public addresses only', () => {
  it('gives the addresses of both families', async () => {
    const dns = await dnsOf(a(NAME, '8.8.8.8', '9.9.9.9'), aaaa(NAME, '2600::1'));
    expect(await lookUp(dns)).toEqual(['2600::1', '8.8.8.8', '9.9.9.9']);
    expect([...dns.asked].sort()).toEqual([`A ${NAME}`, `AAAA ${NAME}`]);
  });

  it.each([
    [4, 'A', '8.8.8.8'],
    ['IPv4', 'A', '8.8.8.8'],
    [6, 'AAAA', '2600::1'],
    ['IPv6', 'AAAA', '2600::1'],
  ] as const)('asks only for the family that is wanted: %s', async (family, type, address) => {
    const dns = await dnsOf(a(NAME, '8.8.8.8'), aaaa(NAME, '2600::1'));
    expect(await lookUp(dns, { family })).toEqual([address]);
    expect(dns.asked).toEqual([`${type} ${NAME}`]);
  });

  it('gives one address to whoever wants only one', async () => {
    const dns = await dnsOf(a(NAME, '8.8.8.8', '9.9.9.9'), 'NOERROR');
    const lookup = createPublicLookup({ timeoutMs: TIMEOUT_MS, servers: [dns.address] });
    const found = await new Promise((resolve) => lookup(NAME, {}, (...results) => resolve(results)));
    expect(found).toEqual([null, '8.8.8.8', 4]);
  });

  it.each<[DnsReply, string, string]>([
    ['NXDOMAIN', 'ENOTFOUND', `${NAME} has no address`],
    ['REFUSED', 'EAI_AGAIN', `${NAME} could not be looked up: EREFUSED`],
    [a(NAME, '10.0.0.1'), 'ERR_ADDRESS_REFUSED', '10.0.0.1 is not a public address: a private network'],
  ])('gives no address after %j, but says what is wrong', async (reply, code, message) => {
    const dns = await dnsOf(reply, 'NOERROR');
    const lookup = createPublicLookup({ timeoutMs: TIMEOUT_MS, servers: [dns.address] });
    const [error, addresses] = await new Promise<unknown[]>((resolve) =>
      lookup(NAME, { all: true }, (...results) => resolve(results)),
    );
    expect(error).toMatchObject({ code, message });
    expect(addresses).toEqual([]);
  });

  it('goes to the name servers of the machine when it is told of none', async () => {
    const lookup = createPublicLookup({ timeoutMs: TIMEOUT_MS });
    const error = await new Promise((resolve) => lookup('no..name.example', {}, resolve));
    expect(error).toMatchObject({ code: 'ENOTFOUND' });
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['a private one among public ones', ['8.8.8.8', '10.0.0.1', '9.9.9.9'], ['2600::1']],
    ['a private one behind more than are ever used', [...numbered(200, '8.8.8.'), '10.0.0.1'], []],
    ['a private one of the other family', ['8.8.8.8'], ['fd00::1']],
    ['loopback', ['127.0.0.1'], []],
    ['loopback in IPv6', [], ['::1']],
    ['this host', ['0.0.0.0'], ['::']],
    ['a private one in a mapped one', [], ['::ffff:10.0.0.1']],
    ['a public one in a mapped one', [], ['::ffff:8.8.8.8']],
    ['a private one behind NAT64', [], ['64:ff9b::a00:1']],
    ['the metadata of a cloud', ['169.254.169.254'], []],
  ])('refuses a name that has %s', async (_, ipv4, ipv6) => {
    const dns = await dnsOf(a(NAME, ...ipv4), aaaa(NAME, ...ipv6));
    expect(await lookUp(dns)).toMatchObject(REFUSED);
  });

  it('refuses an alias of a private name', async () => {
    const dns = await dnsOf(
      [...cname(NAME, 'inside.example'), ...a('inside.example', '10.0.0.1')],
      'NOERROR',
    );
    expect(await lookUp(dns)).toMatchObject(REFUSED);
  });

  it('follows an alias to a public name', async () => {
    const dns = await dnsOf(
      [...cname(NAME, 'outside.example'), ...a('outside.example', '8.8.8.8')],
      'NOERROR',
    );
    expect(await lookUp(dns)).toEqual(['8.8.8.8']);
  });

  it('finds no address behind an alias that leads nowhere', async () => {
    const dns = await dnsOf(cname(NAME, 'nowhere.example'), cname(NAME, 'nowhere.example'));
    expect(await lookUp(dns)).toMatchObject(NO_SUCH_NAME);
  });

  it.each<[DnsReply, DnsReply]>([
    ['NXDOMAIN', 'NXDOMAIN'],
    ['NOERROR', 'NOERROR'],
    ['NXDOMAIN', 'NOERROR'],
  ])('says that there is no such name after %s and %s', async (ipv4, ipv6) => {
    expect(await lookUp(await dnsOf(ipv4, ipv6))).toMatchObject(NO_SUCH_NAME);
  });

  it.each(['NOERROR', 'NXDOMAIN'] as const)('takes %s for one family as having none of it', async (none) => {
    expect(await lookUp(await dnsOf(a(NAME, '8.8.8.8'), none))).toEqual(['8.8.8.8']);
    expect(await lookUp(await dnsOf(none, aaaa(NAME, '2600::1')))).toEqual(['2600::1']);
  });

  it.each(['two..dots.example', `${'a'.repeat(64)}.example`, `${'long.'.repeat(60)}example`])(
    'asks nobody for a name that cannot be: %s',
    async (name) => {
      const dns = await dnsOf('SERVFAIL', 'SERVFAIL');
      expect(await lookUp(dns, { name })).toMatchObject(NO_SUCH_NAME);
      expect(dns.asked).toEqual([]);
    },
  );

  it.each(['SERVFAIL', 'REFUSED', 'FORMERR', 'NOTIMP'] as const)(
    'leaves it undecided after %s, for both families or for one',
    async (trouble) => {
      expect(await lookUp(await dnsOf(trouble, trouble))).toMatchObject(UNDECIDED);
      expect(await lookUp(await dnsOf(trouble, 'NXDOMAIN'))).toMatchObject(UNDECIDED);
      expect(await lookUp(await dnsOf(a(NAME, '8.8.8.8'), trouble))).toMatchObject(UNDECIDED);
      expect(await lookUp(await dnsOf(trouble, aaaa(NAME, '2600::1')))).toMatchObject(UNDECIDED);
    },
  );

  it('refuses a private address even when the other half of the answer is missing', async () => {
    expect(await lookUp(await dnsOf(a(NAME, '10.0.0.1'), 'SERVFAIL'))).toMatchObject(REFUSED);
  });

  it('leaves it undecided when one family is not answered', async () => {
    const timeoutMs = 200;
    expect(await lookUp(await dnsOf(a(NAME, '8.8.8.8'), 'silence'), { timeoutMs })).toMatchObject(UNDECIDED);
    expect(await lookUp(await dnsOf('silence', aaaa(NAME, '2600::1')), { timeoutMs })).toMatchObject(
      UNDECIDED,
    );
  });

  it('stops asking when the time is up, however often the resolver would', async () => {
    const dns = await dnsOf('silence', 'silence');
    expect(await lookUp(dns, { timeoutMs: 200 })).toMatchObject(UNDECIDED);
    expect(dns.asked.length).toBeLessThan(6);
  });

  it('asks again when a question is lost, and once more when that is lost too', async () => {
    const lossy = ({ name, timesBefore }: DnsQuestion): DnsReply =>
      timesBefore < 2 ? 'silence' : a(name, '8.8.8.8');
    const dns = await dnsThat((question) => (question.type === 'A' ? lossy(question) : 'NOERROR'));
    // It asks again after a quarter of the time, and then after twice that: a quarter is left for a slow machine.
    expect(await lookUp(dns, { timeoutMs: 16_000 })).toEqual(['8.8.8.8']);
  });

  it('does not hold it against the target that the DNS server is not there', async () => {
    const dns = await serveDns(() => 'silence');
    await dns.close();
    expect(await lookUp(dns)).toMatchObject(UNDECIDED);
  });

  it('does not take the part of an answer for the whole', async () => {
    const dns = await dnsOf('truncated', 'NOERROR');
    expect(await lookUp(dns)).toMatchObject(UNDECIDED);
  });

  it('checks hundreds of addresses and goes to no more than a few of each family', async () => {
    const ipv4 = Array.from({ length: 900 }, (_, index) => `8.8.${index >> 8}.${index & 255}`);
    const ipv6 = Array.from({ length: 900 }, (_, index) => `2600::${(index + 1).toString(16)}`);
    const dns = await dnsThat(
      () => 'truncated',
      ({ name, type }) => (type === 'A' ? a(name, ...ipv4) : aaaa(name, ...ipv6)),
    );
    expect(await lookUp(dns)).toEqual([...ipv6.slice(0, 16), ...ipv4.slice(0, 16)]);
    const spoilt = await dnsThat(
      () => 'truncated',
      ({ name, type }) => (type === 'A' ? a(name, ...ipv4, '10.0.0.1') : aaaa(name, ...ipv6)),
    );
    expect(await lookUp(spoilt)).toMatchObject(REFUSED);
  });

  it('judges each lookup by itself, so that a name that turns private is refused from then on', async () => {
    const dns = await dnsThat(({ name, type, timesBefore }) =>
      type === 'A' ? a(name, timesBefore === 0 ? '8.8.8.8' : '127.0.0.1') : 'NOERROR',
    );
    expect(await lookUp(dns)).toEqual(['8.8.8.8']);
    expect(await lookUp(dns)).toMatchObject(REFUSED);
  });

  it('asks DNS for the names that the hosts file holds', async () => {
    const dns = await dnsOf('NXDOMAIN', 'NXDOMAIN');
    expect(await lookUp(dns, { name: 'localhost' })).toMatchObject(NO_SUCH_NAME);
    expect(dns.asked).toContain('A localhost');
  });

  it('asks nobody for what is an address already', async () => {
    const dns = await dnsOf(a('127.0.0.1', '8.8.8.8'), 'NOERROR');
    expect(await lookUp(dns, { name: '127.0.0.1' })).toMatchObject(REFUSED);
    expect(await lookUp(dns, { name: '::1' })).toMatchObject(REFUSED);
    expect(await lookUp(dns, { name: '8.8.8.8' })).toEqual(['8.8.8.8']);
    expect(dns.asked).toEqual([]);
  });
});

describe('a connection to public addresses only', () => {
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

  it('is not even opened to a name that leads to this machine', async () => {
    const dns = await dnsOf(a(NAME, '127.0.0.1'), 'NOERROR');
    const server = await listen(({ socket }) => socket.end('seen'));
    closing.push(server.close);
    expect(await connectTo(server.port, dns)).toMatchObject(REFUSED);
    // Connections are seen in the order in which they were opened: had there been another, it would be here by now.
    await text(connect(server.port, '127.0.0.1'));
    expect(server.connections).toHaveLength(1);
    expect([...dns.asked].sort()).toEqual([`A ${NAME}`, `AAAA ${NAME}`]);
  });

  it('that finds DNS in trouble says so, and blames no target', async () => {
    const dns = await dnsOf('SERVFAIL', 'SERVFAIL');
    expect(await connectTo(1, dns)).toMatchObject(UNDECIDED);
  });

  it('that finds DNS silent says so before its own time is up', async () => {
    const dns = await dnsOf('silence', 'silence');
    expect(await connectTo(1, dns, 4000)).toMatchObject(UNDECIDED);
  });
});
