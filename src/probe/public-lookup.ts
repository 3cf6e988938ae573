import dns, { type LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import net from 'node:net';
import ipaddr from 'ipaddr.js';
import { AddressRefused, refuseAddress } from './address-guard.ts';

interface PublicLookupOptions {
  /** For one name, including all its queries. */
  readonly timeoutMs: number;
  /** DNS servers to query instead of the machine’s, such as `127.0.0.1:5353`. */
  readonly servers?: readonly string[];
}

type Family = 4 | 6;

/** The answer of DNS for a name and family: its addresses, possibly none, or an unreliable result. */
type Answer =
  | { readonly kind: 'known'; readonly addresses: readonly LookupAddress[] }
  | { readonly kind: 'unknown'; readonly code: string };

type SomeAddresses = readonly [LookupAddress, ...LookupAddress[]];

/** Limits how many addresses chosen by an untrusted party are connected to. */
const MAX_ADDRESSES_PER_FAMILY = 16;

/**
 * Looks up names from untrusted users. It queries DNS directly, because the system’s lookup cannot be cancelled and
 * occupies one of few threads: a few silent name servers would delay all other checks. It ignores the hosts file and
 * search domains, because they expose internal names.
 */
export function createPublicLookup(options: PublicLookupOptions): net.LookupFunction {
  return (hostname, { all, family }, callback) => {
    lookUp(hostname, familiesOf(family), options).then(
      ([first, ...others]) =>
        all === true ? callback(null, [first, ...others]) : callback(null, first.address, first.family),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/** IPv6 first: without a route, it fails at once. */
function familiesOf(family: number | string | undefined): readonly Family[] {
  if (family === 4 || family === 'IPv4') return [4];
  if (family === 6 || family === 'IPv6') return [6];
  return [6, 4];
}

/**
 * A name is refused if any of its addresses is refused, because the system chooses which one is used.
 *
 * A partial answer is a failure. If one family is answered and the other times out, the server may only be reachable at
 * the missing addresses. Errors of the known ones, such as a family without a route, would then be blamed on the
 * target.
 */
async function lookUp(
  hostname: string,
  families: readonly Family[],
  options: PublicLookupOptions,
): Promise<SomeAddresses> {
  const answers = await answersFor(hostname, families, options);
  const known = answers.flatMap((answer) => (answer.kind === 'known' ? [answer.addresses] : []));
  for (const { address } of known.flat()) {
    const why = refuseAddress(address);
    if (why !== null) throw new AddressRefused(address, why);
  }
  const unknown = answers.find((answer) => answer.kind !== 'known');
  if (unknown !== undefined)
    throw lookupError('EAI_AGAIN', `${hostname} could not be looked up: ${unknown.code}`);
  const [first, ...others] = known.flatMap((addresses) => addresses.slice(0, MAX_ADDRESSES_PER_FAMILY));
  if (first === undefined) throw lookupError('ENOTFOUND', `${hostname} has no address`);
  return [first, ...others];
}

async function answersFor(
  hostname: string,
  families: readonly Family[],
  { timeoutMs, servers }: PublicLookupOptions,
): Promise<readonly Answer[]> {
  const literal = net.isIP(hostname);
  if (literal !== 0) return [{ kind: 'known', addresses: [{ address: hostname, family: literal }] }];
  // The resolver repeats a lost query after a quarter and after three quarters of the time.
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 4), tries: 3 });
  if (servers !== undefined) resolver.setServers(servers);
  // The resolver’s time-outs are per query and server, and add up. If this process was held up, answers may be waiting
  // to be read, so the cancellation waits for one more turn.
  const timer = setTimeout(() => setImmediate(() => resolver.cancel()), timeoutMs);
  const answers = await Promise.all(families.map((family) => answerOf(resolver, hostname, family)));
  clearTimeout(timer);
  return answers;
}

/** A name that does not exist, or has no address of this family, is an answer; some servers mix up the two. */
const NO_ADDRESSES = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

/**
 * Every other failure is a DNS problem. Its code is not passed on: ECONNREFUSED of a name server would be reported as a
 * refusal by the target.
 */
async function answerOf(resolver: Resolver, hostname: string, family: Family): Promise<Answer> {
  try {
    const found = await (family === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname));
    return { kind: 'known', addresses: found.map((address) => ({ address, family })) };
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    if (NO_ADDRESSES.has(code)) return { kind: 'known', addresses: [] };
    // Stryker disable next-line StringLiteral: any kind other than known is handled as unknown.
    return { kind: 'unknown', code };
  }
}

function lookupError(code: 'EAI_AGAIN' | 'ENOTFOUND', message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}

/**
 * The addresses of a host name, found like those of a connection, each written in one way: `192.0.2.1` for
 * `::ffff:c000:201`. An address has itself.
 *
 * @param publicOnly looks the name up like a connection that only reaches public addresses
 * @throws when the name has no address, is not found in time, or may not be connected to
 */
export function findAddresses(
  host: string,
  { publicOnly, timeoutMs }: { readonly publicOnly: boolean; readonly timeoutMs: number },
): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const found = (error: Error | null, addresses: string | LookupAddress[]): void => {
      if (error === null && typeof addresses !== 'string') resolve(inOneWay(addresses));
      else reject(error ?? new Error(`${host} has one address only`));
    };
    if (publicOnly) createPublicLookup({ timeoutMs })(host, { all: true }, found);
    else dns.lookup(host, { all: true }, found);
  });
}

function inOneWay(addresses: readonly LookupAddress[]): readonly string[] {
  return [...new Set(addresses.map(({ address }) => ipaddr.process(address).toString()))].sort();
}
