import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refuseAddress, refuseUrl } from '../../src/probe/address-guard.ts';
import { listen } from './raw-server.ts';
import { send, unanswered } from './send.ts';

const REFUSED = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:8.8.8.8',
  '::ffff:127.0.0.1',
  '::8.8.8.8',
  '::ffff:0:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::1',
  '100::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '2002:808:808::1',
  '3fff::1',
  '5f00::1',
  '2620:4f:8000::1',
  'fe80::1%eth0',
  '8.8.8.8%1',
  '',
  'localhost',
  '8.8.8',
  '0x8.8.8.8',
  '010.8.8.8',
  '134744072',
  '8.8.8.8 ',
  '[2600::1]',
  '1.2.3.4.5',
  '256.1.1.1',
  ':::',
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
  '2000::1',
  '2001:200::1',
  '2001:db7::1',
  '2001:db9::1',
  '2003::1',
  '2600::1',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '3ffe::1',
  '3fff:1000::1',
];

describe('the address guard', () => {
  it.each(REFUSED)('refuses %j', (address) => expect(refuseAddress(address)).not.toBeNull());
  it.each(PUBLIC)('lets %s pass', (address) => expect(refuseAddress(address)).toBeNull());

  it('agrees with the ranges said in another way, for any IPv4 address', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 }), (octets) => {
        expect(refuseAddress(octets.join('.')) === null).toBe(isPublicIpv4(octets));
      }),
      { numRuns: 20_000 },
    );
  });

  it('agrees with the ranges said in another way, for any IPv6 address in any notation', () => {
    const group = fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.constantFrom(0, 1, 0x2001, 0x2002, 0x3fff, 0xdb8, 0xffff, 0x64, 0xff9b, 0x4f, 0x8000, 0x2620),
    );
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), fc.boolean(), (groups, upperCase) => {
        const expected = isPublicIpv6(groups);
        for (const notation of notationsOf(groups)) {
          expect(refuseAddress(upperCase ? notation.toUpperCase() : notation) === null, notation).toBe(
            expected,
          );
        }
      }),
      { numRuns: 10_000 },
    );
  });

  it('never throws, whatever the text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void refuseAddress(text)));
  });

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
    'http://example.com:22/',
    'http://example.com:6379/',
  ])('refuses %s before anything is looked up', (url) => expect(refuseUrl(new URL(url))).not.toBeNull());

  it.each([
    'https://example.com/',
    'http://example.com:8080/mcp',
    'http://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'http://local.example/',
  ])('lets %s pass', (url) => expect(refuseUrl(new URL(url))).toBeNull());

  it('drops a connection before a byte is written when it leads to a private address', async () => {
    let bytes = 0;
    const server = await listen(({ socket }) => socket.on('data', (chunk) => (bytes += chunk.length)));
    const literal = unanswered(await send(server.url, {}, { publicOnly: true }));
    const named = unanswered(
      await send(server.url.replace('127.0.0.1', 'localhost'), {}, { publicOnly: true }),
    );
    for (const { reason } of [literal, named])
      expect(reason).toMatchObject({ code: 'address-refused', fault: 'harness' });
    expect(bytes).toBe(0);
    await server.close();
  });
});

function isPublicIpv4([a = 0, b = 0, c = 0, d = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
  if (a === 100 && b >= 64 && b <= 127) return false;
  if (a === 168 && b === 63 && c === 129 && d === 16) return false;
  if (a === 169 && b === 254) return false;
  if (a === 172 && b >= 16 && b <= 31) return false;
  if (a === 192 && b === 168) return false;
  if (a === 198 && (b === 18 || b === 19)) return false;
  const slash24 = `${a}.${b}.${c}`;
  return ![
    '192.0.0',
    '192.0.2',
    '192.31.196',
    '192.52.193',
    '192.88.99',
    '192.175.48',
    '198.51.100',
    '203.0.113',
  ].includes(slash24);
}

function isPublicIpv6([a = 0, b = 0, c = 0]: readonly number[]): boolean {
  if (a < 0x2000 || a > 0x3fff) return false;
  if (a === 0x2001 && (b < 0x200 || b === 0xdb8)) return false;
  if (a === 0x2002) return false;
  if (a === 0x3fff && b < 0x1000) return false;
  return !(a === 0x2620 && b === 0x4f && c === 0x8000);
}

function notationsOf(groups: readonly number[]): readonly string[] {
  const plain = groups.map((group) => group.toString(16));
  const padded = groups.map((group) => group.toString(16).padStart(4, '0'));
  const [g6 = 0, g7 = 0] = groups.slice(6);
  const dotted = [...plain.slice(0, 6), `${g6 >> 8}.${g6 & 255}.${g7 >> 8}.${g7 & 255}`];
  const shortened = `:${plain.join(':')}:`
    .replace(/(:0)+:/, '::')
    .replace(/^:([^:])/, '$1')
    .replace(/([^:]):$/, '$1');
  return [plain.join(':'), padded.join(':'), dotted.join(':'), shortened];
}
