import { type JsonObject, ownProperty, showJson } from '../../json/json.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { type Asked, defineCheck, judgeEach } from '../define-check.ts';
import { ifKnown } from './challenges.ts';
import {
  describeTry,
  isProtected,
  type Metadata,
  metadataOf,
  notReadable,
  RESOURCE,
  serverCase,
  serversIn,
  textsIn,
} from './metadata.ts';

/** An authorization server that the metadata of the resource name. */
interface Server {
  readonly issuer: string;
  readonly metadata: Metadata;
}

/** Those whose address may be used. */
function serversOf(asked: readonly Asked[]): readonly Server[] {
  return serversIn(metadataOf(asked, RESOURCE).value).flatMap((issuer, index) =>
    isProtected(issuer) ? [{ issuer, metadata: metadataOf(asked, serverCase(index)) }] : [],
  );
}

const NO_SERVERS = 'the server names no authorization server at a usable address';

export const serverMetadataFound = defineCheck(
  'step',
  'server-metadata-found',
  'each authorization server publishes its metadata at one of the well-known addresses',
  ({ asked }) => {
    const servers = serversOf(asked);
    if (servers.length === 0) return inapplicable(NO_SERVERS);
    return judgeEach(servers, ({ issuer, metadata }): Finding => {
      if (metadata.value !== null) return passed;
      const open = notReadable(metadata, issuer);
      if (open !== null) return open;
      const last = metadata.tries.at(-1);
      return failed({
        message: `the authorization server ${issuer} publishes no metadata`,
        expected:
          'a JSON document at one of the well-known addresses of RFC 8414 or OpenID Connect Discovery',
        received: metadata.tries.map(describeTry).join('; '),
        exchangeKey: last?.request.key,
      });
    });
  },
);

/** Judges the metadata of each server that were found. */
function eachFound(asked: readonly Asked[], judge: (document: JsonObject, server: Server) => Finding) {
  const found = serversOf(asked).filter(({ metadata }) => metadata.value !== null);
  if (found.length === 0) return inapplicable('no metadata of an authorization server were found');
  const findings = found.map((server) => judge(server.metadata.value ?? {}, server));
  const open = findings.filter(({ outcome }) => outcome !== 'passed' && outcome !== 'inapplicable');
  if (open.length > 0) return open;
  return findings.find(({ outcome }) => outcome === 'passed') ?? findings;
}

export const issuerIdentical = defineCheck(
  'step',
  'issuer-identical',
  'the issuer in the metadata of an authorization server is the address by which the server names it, character by character',
  ({ asked }) =>
    eachFound(asked, (document, { issuer, metadata }) => {
      const said = ownProperty(document, 'issuer');
      if (said === issuer) return passed;
      return failed({
        message: 'the issuer in the metadata is not the address of the authorization server',
        expected: showJson(issuer),
        received: showJson(said ?? 'no issuer'),
        pointer: '/issuer',
        exchangeKey: metadata.exchange?.request.key,
      });
    }),
);

export const pkceAdvertised = defineCheck(
  'step',
  'pkce-advertised',
  'an authorization server that gives codes advertises PKCE with S256',
  ({ asked, opened }) =>
    eachFound(asked, (document, { metadata }) => {
      const grants = ownProperty(document, 'grant_types_supported');
      if (Array.isArray(grants) && !grants.includes('authorization_code'))
        return inapplicable('the authorization server gives no authorization codes');
      const methods = ownProperty(document, 'code_challenge_methods_supported');
      if (textsIn(methods).includes('S256')) return passed;
      return ifKnown(
        opened,
        failed({
          message:
            'the authorization server does not advertise PKCE with S256, so that clients refuse to use it',
          expected: 'code_challenge_methods_supported with "S256"',
          received: showJson(methods ?? 'no code_challenge_methods_supported'),
          pointer: '/code_challenge_methods_supported',
          exchangeKey: metadata.exchange?.request.key,
        }),
      );
    }),
);

export const endpointsProtected = defineCheck(
  'step',
  'endpoints-protected',
  'all endpoints of an authorization server are https addresses, or on this machine',
  ({ asked }) =>
    eachFound(asked, (document, { metadata }) => {
      // Some servers write null for an endpoint that they do not have.
      const endpoints = Object.entries(document).filter(
        ([name, value]) => /_endpoint$/.test(name) && value !== null,
      );
      if (endpoints.length === 0) return inapplicable('the metadata name no endpoint');
      const wrong = endpoints.find(([, value]) => typeof value !== 'string' || !isProtected(value));
      if (wrong === undefined) return passed;
      const [name, value] = wrong;
      return failed({
        message: `the authorization server has its ${name} at an address without TLS`,
        expected: 'an https URL',
        received: showJson(value),
        pointer: `/${name}`,
        exchangeKey: metadata.exchange?.request.key,
      });
    }),
);
