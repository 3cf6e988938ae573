import { type Json, ownProperty, showJson } from '../../json/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { isLoopback } from '../../text/loopback.ts';
import { parseUrl } from '../../text/parse-url.ts';
import { isOfResource, namedMetadata, refusalsIn } from '../../wires/mcp/authorization.ts';
import { type Asked, defineCheck } from '../define-check.ts';
import { describeTry, isProtected, type Metadata, metadataOf, notReadable, RESOURCE } from './metadata.ts';

const WHAT = 'the server';
const NONE = 'the server publishes no metadata of a protected resource';

export const resourceMetadataFound = defineCheck(
  'step',
  'resource-metadata-found',
  'a server that refuses requests with 401 publishes where its authorization servers are',
  ({ asked, exchanges }) => {
    const metadata = metadataOf(asked, RESOURCE);
    // The metadata at a named address are judged by themselves.
    if (metadata.value !== null || namedMetadata(exchanges) !== null) return passed;
    if (refusalsIn(exchanges).length === 0) return inapplicable('the server refuses no request with 401');
    return (
      notReadable(metadata, WHAT) ??
      failed({
        message: 'the server wants a token, and does not say where clients get one',
        expected:
          'resource_metadata in WWW-Authenticate, or a document below /.well-known/oauth-protected-resource',
        received: metadata.tries.map((one) => `${urlIn(one)}: ${describeTry(one)}`).join('; '),
        exchangeKey: metadata.tries.at(-1)?.request.key,
      })
    );
  },
);

function urlIn({ request }: Asked['exchange']): string {
  return 'url' in request ? request.url : '';
}

export const resourceMetadataValid = defineCheck(
  'step',
  'resource-metadata-valid',
  'the metadata of the protected resource can be read where the challenge says, and name the resource and at least one authorization server',
  ({ asked, exchanges }) => {
    const metadata = metadataOf(asked, RESOURCE);
    const named = namedMetadata(exchanges);
    if (metadata.value === null)
      return named === null
        ? (notReadable(metadata, WHAT) ?? inapplicable(NONE))
        : unreadable(metadata, named);
    const wrong = mistakeIn(metadata.value);
    if (wrong === null) return passed;
    return failed({ ...wrong, exchangeKey: metadata.exchange?.request.key });
  },
);

function unreadable(metadata: Metadata, named: string) {
  const last = metadata.tries.at(-1);
  const open = notReadable(metadata, WHAT);
  if (open !== null) return open;
  return failed({
    message:
      last === undefined
        ? 'the challenge names metadata at an address that clients must not use'
        : 'the challenge names metadata that cannot be read',
    expected: last === undefined ? 'an https address' : 'status 200 and a JSON document',
    received: last === undefined ? showJson(named) : `${named}: ${describeTry(last)}`,
    exchangeKey: last?.request.key,
  });
}

/** RFC 9728, section 2, and what the protocol requires besides. */
function mistakeIn(document: NonNullable<Metadata['value']>) {
  const resource = ownProperty(document, 'resource');
  const url = typeof resource === 'string' ? parseUrl(resource) : null;
  if (url === null || url.hash !== '')
    return {
      message: 'the metadata do not name the resource',
      expected: 'an absolute URL without a fragment',
      received: showJson(resource ?? 'no resource'),
      pointer: '/resource',
    };
  const servers = ownProperty(document, 'authorization_servers');
  const list: readonly Json[] = Array.isArray(servers) ? servers : [];
  if (list.length === 0)
    return {
      message: 'the metadata name no authorization server',
      expected: 'authorization_servers with at least one URL',
      received: showJson(servers ?? 'no authorization_servers'),
      pointer: '/authorization_servers',
    };
  const index = list.findIndex((one) => typeof one !== 'string' || !isProtected(one));
  if (index === -1) return null;
  return {
    message: 'an authorization server has no https address',
    expected: 'an https URL',
    received: showJson(list[index] ?? null),
    pointer: `/authorization_servers/${index}`,
  };
}

export const resourceMatches = defineCheck(
  'step',
  'resource-matches',
  'the resource of the metadata is the server, or an address above it',
  ({ asked, targetUrl }) => {
    const { value, exchange } = metadataOf(asked, RESOURCE);
    const resource = ownProperty(value, 'resource');
    const named = typeof resource === 'string' ? parseUrl(resource) : null;
    if (named === null) return inapplicable(value === null ? NONE : 'the metadata do not name the resource');
    const target = new URL(targetUrl);
    if (named.origin !== target.origin && isLoopback(target.hostname))
      return inapplicable(
        `the server is checked at an address of this machine, and its metadata name ${named.origin}: check it there`,
      );
    if (isOfResource(targetUrl, named.href)) return passed;
    return failed({
      message: 'the metadata are those of another resource, so that clients refuse to use them',
      expected: `${target.origin}${target.pathname}, or an address above it`,
      received: showJson(resource ?? null),
      pointer: '/resource',
      exchangeKey: exchange?.request.key,
    });
  },
);
