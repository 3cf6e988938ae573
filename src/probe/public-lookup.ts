import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import net from 'node:net';
import { AddressRefused, refuseAddress } from './address-guard.ts';

interface PublicLookupOptions {
  /** For one name, with all the questions that it takes. */
  readonly timeoutMs: number;
  /** DNS servers to ask instead of the machine’s, such as `127.0.0.1:5353`. */
  readonly servers?: readonly string[];
}

type Family = 4 | 6;

/** What DNS says of a name in one family: its addresses, if it has any, or nothing that could be relied on. */
type Answer =
  | { readonly kind: 'told'; readonly addresses: readonly LookupAddress[] }
  | { readonly kind: 'untold'; readonly code: string };

type SomeAddresses = readonly [LookupAddress, ...LookupAddress[]];

/** A name with thousands of addresses would make us knock at thousands of doors that a stranger chose. */
const MAX_ADDRESSES_PER_FAMILY = 16;

/**
 * Looks names up for a harness that is pointed at servers by strangers. It asks DNS itself: the system’s own lookup
 * cannot be stopped and holds a thread of the few there are, so that a few silent name servers would hold up every
 * other check. The hosts file is left out on purpose, and search domains with it: they hold the names of the machine
 * that runs the harness and of its neighbours, and a stranger has no business with those.
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

/** IPv6 first: where there is no route for it, that shows at once. */
function familiesOf(family: number | string | undefined): readonly Family[] {
  if (family === 4 || family === 'IPv4') return [4];
  if (family === 6 || family === 'IPv6') return [6];
  return [6, 4];
}

/**
 * One bad address among those of a name refuses the name: which of them is taken is not ours to choose.
 *
 * Half an answer is no answer. When one family is told and the other times out, only checked addresses would be
 * connected to; but the server may live at those that are missing, and what is wrong with the others, such as a family
 * that this machine has no route for, would be held against it.
 */
async function lookUp(
  hostname: string,
  families: readonly Family[],
  options: PublicLookupOptions,
): Promise<SomeAddresses> {
  const answers = await answersFor(hostname, families, options);
  const told = answers.flatMap((answer) => (answer.kind === 'told' ? [answer.addresses] : []));
  for (const { address } of told.flat()) {
    const why = refuseAddress(address);
    if (why !== null) throw new AddressRefused(address, why);
  }
  const untold = answers.find((answer) => answer.kind !== 'told');
  if (untold !== undefined)
    throw lookupError('EAI_AGAIN', `${hostname} could not be looked up: ${untold.code}`);
  const [first, ...others] = told.flatMap((addresses) => addresses.slice(0, MAX_ADDRESSES_PER_FAMILY));
  if (first === undefined) throw lookupError('ENOTFOUND', `${hostname} has no address`);
  return [first, ...others];
}

async function answersFor(
  hostname: string,
  families: readonly Family[],
  { timeoutMs, servers }: PublicLookupOptions,
): Promise<readonly Answer[]> {
  const literal = net.isIP(hostname);
  if (literal !== 0) return [{ kind: 'told', addresses: [{ address: hostname, family: literal }] }];
  // A lost question is asked again after a quarter of the time, and after three quarters of it.
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 4), tries: 3 });
  if (servers !== undefined) resolver.setServers(servers);
  // The resolver’s own time-outs are for one question to one server, and add up. When this process was held up, the
  // answers may be waiting to be read: look once more before giving up.
  const timer = setTimeout(() => setImmediate(() => resolver.cancel()), timeoutMs);
  const answers = await Promise.all(families.map((family) => answerOf(resolver, hostname, family)));
  clearTimeout(timer);
  return answers;
}

/** That there is no such name, or no address of this family, is an answer; some servers say the one for the other. */
const NO_ADDRESSES = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

/**
 * Every other failure is the trouble of DNS. Its codes stay in here: refused by a name server would be taken for
 * refused by the target.
 */
async function answerOf(resolver: Resolver, hostname: string, family: Family): Promise<Answer> {
  try {
    const found = await (family === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname));
    return { kind: 'told', addresses: found.map((address) => ({ address, family })) };
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    if (NO_ADDRESSES.has(code)) return { kind: 'told', addresses: [] };
    // Stryker disable next-line StringLiteral: whatever is not told counts as untold.
    return { kind: 'untold', code };
  }
}

function lookupError(code: 'EAI_AGAIN' | 'ENOTFOUND', message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}
