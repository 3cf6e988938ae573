import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseTarget } from '../../src/model/target.ts';
import { refuseAddress, refuseUrl } from '../../src/probe/address-guard.ts';
import { openConnection } from '../../src/probe/connector.ts';
import { listen } from './raw-server.ts';
import { send, unanswered } from './send.ts';

const NO_ADDRESS = 'not a plain IP address';
const PRIVATE_NETWORK = 'a private network';
const NO_UNICAST = 'outside global unicast';
const PROTOCOLS = 'protocol assignments and Teredo';
const IN_6TO4 = '6to4, which carries an IPv4 address';

/** Includes both ends of every range. */
const REFUSED: readonly (readonly [address: string, why: string])[] = [
  ['0.0.0.0', 'this network'],
  ['0.255.255.255', 'this network'],
  ['10.0.0.0', PRIVATE_NETWORK],
  ['10.1.2.3', PRIVATE_NETWORK],
  ['10.255.255.255', PRIVATE_NETWORK],
  ['100.64.0.0', 'a carrier’s shared network'],
  ['100.127.255.255', 'a carrier’s shared network'],
  ['127.0.0.0', 'loopback'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.255', 'loopback'],
  ['168.63.129.16', 'a cloud host’s own service'],
  ['169.254.0.0', 'link-local, where cloud metadata is served'],
  ['169.254.169.254', 'link-local, where cloud metadata is served'],
  ['169.254.255.255', 'link-local, where cloud metadata is served'],
  ['172.16.0.0', PRIVATE_NETWORK],
  ['172.31.255.255', PRIVATE_NETWORK],
  ['192.0.0.0', 'protocol assignments'],
  ['192.0.0.255', 'protocol assignments'],
  ['192.0.2.0', 'documentation'],
  ['192.0.2.255', 'documentation'],
  ['192.31.196.0', 'a DNS sink'],
  ['192.31.196.255', 'a DNS sink'],
  ['192.52.193.0', 'multicast tunnels'],
  ['192.52.193.255', 'multicast tunnels'],
  ['192.88.99.0', '6to4 relays'],
  ['192.88.99.255', '6to4 relays'],
  ['192.168.0.0', PRIVATE_NETWORK],
  ['192.168.255.255', PRIVATE_NETWORK],
  ['192.175.48.0', 'a DNS sink'],
  ['192.175.48.255', 'a DNS sink'],
  ['198.18.0.0', 'benchmarking'],
  ['198.19.255.255', 'benchmarking'],
  ['198.51.100.0', 'documentation'],
  ['198.51.100.255', 'documentation'],
  ['203.0.113.0', 'documentation'],
  ['203.0.113.255', 'documentation'],
  ['224.0.0.0', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.0', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['::', NO_UNICAST],
  ['::1', NO_UNICAST],
  ['::ffff:8.8.8.8', NO_UNICAST],
  ['::ffff:127.0.0.1', NO_UNICAST],
  ['::8.8.8.8', NO_UNICAST],
  ['::ffff:0:8.8.8.8', NO_UNICAST],
  ['64:ff9b::8.8.8.8', NO_UNICAST],
  ['64:ff9b:1::1', NO_UNICAST],
  ['100::1', NO_UNICAST],
  ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', NO_UNICAST],
  ['4000::', NO_UNICAST],
  ['5f00::1', NO_UNICAST],
  ['fc00::1', NO_UNICAST],
  ['fd12:3456::1', NO_UNICAST],
  ['fe80::1', NO_UNICAST],
  ['fec0::1', NO_UNICAST],
  ['ff02::1', NO_UNICAST],
  ['2001::', PROTOCOLS],
  ['2001::1', PROTOCOLS],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', PROTOCOLS],
  ['2001:2::1', PROTOCOLS],
  ['2001:10::1', PROTOCOLS],
  ['2001:20::1', PROTOCOLS],
  ['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', PROTOCOLS],
  ['2001:db8::', 'documentation'],
  ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation'],
  ['2002::', IN_6TO4],
  ['2002:7f00:1::1', IN_6TO4],
  ['2002:808:808::1', IN_6TO4],
  ['2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', IN_6TO4],
  ['2620:4f:8000::', 'a DNS sink'],
  ['2620:4f:8000:ffff:ffff:ffff:ffff:ffff', 'a DNS sink'],
  ['3fff::', 'documentation'],
  ['3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation'],
  ...[
    ...['fe80::1%eth0', '2600::1%eth0', '8.8.8.8%1', '', 'localhost', '8.8.8', '0x8.8.8.8', '010.8.8.8'],
    ...['134744072', '8.8.8.8 ', '[2600::1]', '1.2.3.4.5', '256.1.1.1', ':::'],
  ].map((text) => [text, NO_ADDRESS] as const),
];

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '192.167.255.255',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2000::',
  '2000::1',
  '2001:200::',
  '2001:200::1',
  '2001:db7::1',
  '2001:db9::1',
  '2003::1',
  '2600::1',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '3ffe::1',
  '3fff:1000::1',
  '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
];

/** The Fetch standard, section 2.9, “port blocking”. */
const BAD_PORTS_OF_FETCH = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

describe('the address guard', () => {
  it.each(REFUSED)('refuses %j with the reason', (address, why) => expect(refuseAddress(address)).toBe(why));
  it.each(PUBLIC)('allows %s', (address) => expect(refuseAddress(address)).toBeNull());

  it.each([
    'http://127.0.0.1/',
    'http://0177.0.0.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://127.1/',
    'http://[::1]/',
    'http://[::ffff:8.8.8.8]/',
    'http://169.254.169.254/',
    'http://localhost:3000/',
    'http://a.localhost/',
    'http://metadata.google.internal/',
    'http://printer.local/',
    'http://LOCALHOST./',
    'http://localhost../',
    'http://%6cocalhost/',
    'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
    'http://foo.localhost./',
    'http://metadata.google.internal./',
    'http://metadata/',
    'http://intranet/',
    'http://intranet./mcp',
    'http://ai/',
    'http://com:8080/',
    'http://./',
    'http://router.lan/',
    'http://nas.home/',
    'http://hub.home.arpa/',
    'http://1.0.0.127.in-addr.arpa/',
    'http://wiki.corp/',
    'http://db.private/',
    'http://a.test/',
    'http://a.onion/',
    'http://a.internal/',
    'http://mail.intranet/',
    'http://a.invalid/',
    'http://host.localdomain/',
    'http://a.alt/',
    'http://127.0.0.1./',
    'http://127.0.0.1../',
    'http://0x7f.1../',
    'http://user@127.0.0.1/',
    'http://8.8.8.8@127.0.0.1/',
    'http://127.0.0.1\\@8.8.8.8/',
    'http://１２７.０.０.１/',
    'http://100.100.100.200/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://example.com:0/',
    'http://example.com:22/',
    'http://example.com:6379/',
    'https://8.8.8.8:25/',
    'ftp://8.8.8.8/',
    'ws://example.com/',
    'file:///etc/passwd',
    'gopher://8.8.8.8/',
    'foo://0x7f.1/',
    'data:text/plain,8.8.8.8',
  ])('refuses %s before any DNS lookup', (url) => expect(refuseUrl(new URL(url))).not.toBeNull());

  it.each([
    'https://example.com/',
    'http://example.com:8080/mcp',
    'http://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'http://local.example/',
    'http://localhost.example/',
    'http://example.com./',
    'http://notlocal.example/',
    'http://xn--bcher-kva.example/',
    'http://127.0.0.1.example.com/',
    'http://4chan.example/',
    'http://example.xn--p1ai/',
    'http://example.com:80/',
    'https://example.com:443/',
    'http://example.com:443/',
    'http://example.com:3000/',
    'http://example.com:65535/',
  ])('lets %s pass', (url) => expect(refuseUrl(new URL(url))).toBeNull());

  it.each([
    ['ftp://8.8.8.8/', 'ftp: is not http or https'],
    ['http://example.com:6379/', 'port 6379 belongs to another service'],
    ['http://127.1/', '127.0.0.1 is not on the public internet: loopback'],
    ['https://[::1]/', `::1 is not on the public internet: ${NO_UNICAST}`],
    ['http://127.0.0.1./', `127.0.0.1 is not on the public internet: loopback`],
    ['http://127.0.0.1../', `127.0.0.1.. is not on the public internet: ${NO_ADDRESS}`],
    ['http://127.0.0.1x/', `127.0.0.1x is not on the public internet: ${NO_ADDRESS}`],
    ['http://db.corp/', 'db.corp is not on the public internet: a name for private use'],
    [
      'http://metadata/',
      'metadata is not on the public internet: a name without a dot, which only a private network knows',
    ],
  ])('refuses %s with the reason', (url, why) => expect(refuseUrl(new URL(url))).toBe(why));

  it('refuses every port that browsers refuse', () => {
    for (const port of BAD_PORTS_OF_FETCH)
      expect(refuseUrl(new URL(`http://example.com:${port}/`)), `port ${port}`).not.toBeNull();
  });

  it.each([
    'ftp://8.8.8.8/',
    'file:///etc/passwd',
    'gopher://8.8.8.8:70/',
    'javascript:alert(1)',
    'unix:/var/run/docker.sock',
    '//8.8.8.8/',
    'http://user@8.8.8.8/',
    'http://user:password@8.8.8.8/',
    'http://:password@8.8.8.8/',
    'http://8.8.8.8@127.0.0.1/',
    'http://1.2.3.4.5/',
    'http://08.8.8.8/',
    'http://256.8.8.8/',
    'http://8.8.8.8%00.example/',
    'http://[fe80::1%25eth0]/',
    'http://example.com:65536/',
    'http://example.com/?to=http://127.0.0.1/',
  ])('does not need to refuse %s, because it is not a valid target', (text) =>
    expect(parseTarget(text)).toHaveProperty('problem'),
  );

  it.each([
    'http://2130706433/',
    'http:127.1',
    'http:\\\\127.0.0.1\\mcp',
    ' http://0x7f.1 ',
    'http://127.0.0.1:8080/a/../',
  ])('refuses %j after it was parsed as a target', (text) => {
    const parsed = parseTarget(text);
    expect(parsed).toHaveProperty('target');
    expect('target' in parsed && refuseUrl(new URL(parsed.target.url))).toContain('127.0.0.1');
  });

  it('opens no connection to a private address', async () => {
    const server = await listen(({ socket }) => socket.end());
    const { reason } = unanswered(await send(server.url, {}, { publicOnly: true }));
    expect(reason).toMatchObject({ code: 'address-refused', fault: 'harness' });
    expect(server.connections).toHaveLength(0);
    await server.close();
  });

  it('closes a connection before the first byte if it leads to a private address', async () => {
    let report: (bytes: Buffer) => void;
    const whatCame = new Promise<Buffer>((resolve) => {
      report = resolve;
    });
    const server = await listen(({ gone, received }) => void gone.then(() => report(received())));
    // The kernel may connect to another address than the resolver returned.
    const lookup: LookupFunction = (_name, _options, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    const opening = openConnection(
      new URL(`http://target.example:${server.port}/`),
      { timeoutMs: 10_000, publicOnly: true, ca: null, lookup },
      new AbortController().signal,
    );
    await expect(opening).rejects.toThrow('127.0.0.1 is not a public address');
    expect(await whatCame).toHaveLength(0);
    await server.close();
  });
});
