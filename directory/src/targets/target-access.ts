import { OptionError, parseTarget, parseUrl, type TransportFailure, targetVariable } from 'probity/model';
import { givenHeaders, refuseUrl } from 'probity/service';
import type { Entry, EntryTarget } from '../entries/entries.ts';
import type { ServiceSettings } from '../settings/settings.ts';

export type AccessSettings = Pick<ServiceSettings, 'publicOnly' | 'environment'>;

/** Where to send the requests to a target, with which headers; or why the directory sends none. */
export type Access =
  | { readonly kind: 'allowed'; readonly url: string; readonly headers: ReturnType<typeof givenHeaders> }
  | { readonly kind: 'refused'; readonly url: string; readonly reason: TransportFailure };

export function accessTo(entry: EntryTarget, { publicOnly, environment }: AccessSettings): Access {
  const refused = (code: TransportFailure['code'], message: string): Access => ({
    kind: 'refused',
    url: entry.endpoint,
    reason: { code, fault: 'harness', message },
  });
  const address = addressOf(entry);
  if ('problem' in address) return refused('not-sent', `its address cannot be used: ${address.problem}`);
  const { url } = address;
  const refusal = publicOnly ? refuseUrl(new URL(url)) : null;
  if (refusal !== null) return refused('address-refused', refusal);
  const token = targetTokenOf(entry, environment);
  if (token.kind === 'problem') return refused('not-sent', token.problem);
  try {
    const headers = givenHeaders(token.kind === 'token' ? { bearerToken: token.token } : {});
    return { kind: 'allowed', url, headers };
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    return refused(
      'not-sent',
      'the key that the directory has for this server contains characters that a header cannot carry',
    );
  }
}

/** Why the directory sends no request to a target: a refused address, or another's key. Null when it may. */
export function refusalOf(entry: EntryTarget, settings: AccessSettings): TransportFailure | null {
  const access = accessTo(entry, settings);
  return access.kind === 'refused' ? access.reason : null;
}

/** The base address of a target, or the endpoint of a server of the Model Context Protocol. */
function addressOf({
  endpoint,
  listing,
}: EntryTarget): { readonly url: string } | { readonly problem: string } {
  if (listing.protocol !== 'mcp') {
    const parsed = parseTarget(endpoint);
    return 'problem' in parsed ? parsed : { url: parsed.target.url };
  }
  const url = parseUrl(endpoint);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    ? { url: url.href }
    : { problem: 'it is not an http or https address without a user name and password' };
}

/** The key that a target requires, from the operator's environment. */
type TargetToken =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  /** The variable is not set. The server may be looked at without the key, but not called. */
  | { readonly kind: 'missing'; readonly problem: string }
  /** The listing names a variable that must not be read. */
  | { readonly kind: 'problem'; readonly problem: string };

/** Reads only the variable that belongs to the entry, whatever its listing names. */
export function targetTokenOf(
  { id, listing }: Pick<Entry, 'id' | 'listing'>,
  environment: Readonly<Record<string, string | undefined>>,
): TargetToken {
  const { bearerEnv } = listing;
  if (bearerEnv === undefined) return { kind: 'none' };
  const own = targetVariable(id);
  const problem = (words: string): TargetToken => ({ kind: 'problem', problem: words });
  if (bearerEnv !== own)
    return problem(`the listing names the wrong variable for the server's key; it must be ${own}`);
  const token = Object.hasOwn(environment, own) ? environment[own] : undefined;
  return token === undefined || token === ''
    ? { kind: 'missing', problem: `the directory has no key for this server; its operator must set ${own}` }
    : { kind: 'token', token };
}
