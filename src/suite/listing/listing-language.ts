import { parseIso8601 } from '../../checks/iso8601.ts';
import { type MeasuredField, RECORD_FIELDS, type RecordField } from '../../model/saved/server-record.ts';
import { parseTarget } from '../../model/target.ts';
import { parseUrl } from '../../text/parse-url.ts';
import { sample } from '../config/config-language.ts';
import { mapOf, optional, record, required } from '../yaml/mapping.ts';
import {
  anyMapping,
  checked,
  day,
  either,
  flag,
  listOf,
  number,
  oneOf,
  placed,
  type Shape,
  text,
  type ValueOf,
  type ValueProblem,
} from '../yaml/shape.ts';

/** Something that a reader sees: not only spaces, controls and characters without a picture. */
const VISIBLE = /[^\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Text that people read; a directory would show nothing for it otherwise. */
function readable(maxCharacters: number): Shape<string> {
  return checked(text({ maxCharacters }), (value) =>
    VISIBLE.test(value)
      ? null
      : { problem: 'the text has no visible character', remedy: 'Write at least one letter, digit or sign.' },
  );
}

/** A label or a name. The bounds keep a page of 100 servers below two megabytes. */
const short = readable(200);

const MAX_ADDRESS_CHARACTERS = 2000;

function addressProblem(value: string): ValueProblem | null {
  const remedy = 'Write an address that starts with https:// (or http://), such as https://example.org/path.';
  const url = parseUrl(value);
  if (url === null) return { problem: 'this is not an address', remedy };
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { problem: `the scheme ${url.protocol} is not http or https`, remedy };
  if (url.username !== '' || url.password !== '')
    return {
      problem: 'the address contains a user name or password',
      remedy: 'Remove them: a listing is public.',
    };
  return value.length > MAX_ADDRESS_CHARACTERS
    ? { problem: `the address is longer than ${MAX_ADDRESS_CHARACTERS} characters`, remedy }
    : null;
}

const addressText = text({ pattern: /^https?:\/\/\S+$/i, words: 'an http or https address' });
const address = checked(addressText, addressProblem);

const endpoint = checked(addressText, (value) => {
  const parsed = parseTarget(value);
  return 'problem' in parsed ? parsed : null;
});

/** Of a server of the Model Context Protocol, at which nothing is added. */
const mcpEndpoint = checked(text(), (value) => {
  if (!/^https?:\/\//i.test(value))
    return {
      problem: `"${value}" is not an http or https address`,
      remedy:
        'Write the address of a remote server, such as https://example.com/mcp. A directory starts no commands.',
    };
  const [, operation] = /\/(health|capabilities|execute)\/?$/.exec(value) ?? [];
  if (operation === undefined) return addressProblem(value);
  return {
    problem: `/${operation} is a path of the contract, not of the Model Context Protocol`,
    remedy: 'Remove `protocol`, or write the address of the MCP endpoint, such as https://example.com/mcp.',
  };
});

const utcTime = checked(
  text({
    pattern: /T.*(?:Z|[+-]00(?::?00)?)$/i,
    words: 'an ISO 8601 time in UTC, such as 2026-03-31T12:00:00Z',
  }),
  (value) =>
    parseIso8601(value)?.offsetMinutes === 0
      ? null
      : {
          problem: `"${value}" is not an ISO 8601 time in UTC`,
          remedy: 'Write a time such as 2026-03-31T12:00:00Z.',
        },
);

/** A year. */
const MAX_PACE_SECONDS = 31_536_000;

const digest = text({
  pattern: /^sha256:[0-9a-f]{64}$/,
  words: 'a digest: sha256: and 64 digits from 0 to f',
});

const author = record('the author of a server', {
  name: required(short, 'A person or an organisation.'),
  contact: optional(short, 'Contact: an e-mail address or a page.'),
});

const auditReport = record('an audit report', {
  url: required(address, 'Address of the report.'),
  date: required(day('2026-03-31'), 'Date of the audit.'),
  auditor: required(short, 'The auditor.'),
});

const signer = record('the signer of an attestation', {
  identity: required(
    text({ maxCharacters: 2000 }),
    'The name in the certificate: the address of a workflow, or the e-mail address of a person. It is compared exactly.',
  ),
  issuer: required(
    address,
    'The issuer of that identity, such as https://token.actions.githubusercontent.com.',
  ),
});

const build = record('a build', {
  artifact: optional(address, 'Address of the artifact.'),
  digest: optional(digest, 'Digest of the artifact; compared with that of the fetched file.'),
  attestation: optional(
    either(address, anyMapping),
    'A Sigstore bundle about the artifact: its address, or the bundle itself.',
  ),
  signer: optional(signer, 'Required signer of the attestation; default: any signer, named in the evidence.'),
});

const deployment = record('a reproducible deployment', {
  instructions: required(address, 'Address of the instructions.'),
  digest: required(digest, 'Digest of the deployment; the instructions must produce it.'),
});

/** Letters, digits and a few signs, because ids appear in paths, file names and messages. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The complete listing, probity.listing.yaml: the fields of the server record, then what else a directory shows. */
export const listingShape = record('a listing', {
  listing: required(oneOf(['v1']), 'Version of the listing.'),
  id: required(
    text({
      pattern: ID,
      words: 'an id: at most 64 letters, digits, ".", "_" and "-", a letter or digit first',
    }),
    'The id of the server in the paths of the directory: short, unique, never changed.',
  ),
  name: required(short, 'The name for people.'),
  description: required(readable(2000), 'What the server does, in a sentence or two.'),
  category: required(readable(100), 'One label.'),
  tags: required(listOf(readable(60), { atMost: 30 }), 'Words that help to find the server; may be empty.'),
  transport: required(listOf(oneOf(['http', 'websocket']), { atLeast: 1 }), 'Transports of the server.'),
  uptime: optional(number(0, 100), 'A percentage; shown until it is measured.'),
  responseTime: optional(
    number(0),
    'Milliseconds; shown until it is measured. The measured value must not exceed it.',
  ),
  lastUpdated: optional(utcTime, 'When the entry was last updated; default: set by the directory.'),
  audited: required(flag, 'true: the server has a security audit, which `auditReport` names.'),
  openSource: required(flag, 'true: the source is public, at the address in `repository`.'),
  endpoint: required(
    endpoint,
    'The base address of the server, without /health; with `protocol: mcp`, the address of its endpoint, such as https://example.com/mcp.',
  ),
  protocol: optional(
    oneOf(['mcp']),
    '`mcp`: the endpoint speaks the Model Context Protocol, over streamable HTTP. Without it: the server has /health, /capabilities and /execute.',
  ),
  version: optional(short, 'Version of the server.'),
  mcpVersion: optional(short, 'MCP version of the server; must be 1.0 or later.'),
  author: optional(author, 'The author or operator.'),
  repository: optional(address, 'Address of the source.'),
  licence: optional(short, 'SPDX expression, such as MIT.'),
  documentation: optional(
    address,
    'Address of the API documentation. Required if /capabilities has no types, as in form A.',
  ),
  auditReport: optional(auditReport, 'The security audit; preferred, not required.'),
  build: optional(build, 'A build artifact that anybody can verify.'),
  deployment: optional(deployment, 'How to reproduce the deployment from the source.'),
  samples: optional(
    mapOf(listOf(sample, { orOne: true, atLeast: 1 }), 'function name'),
    'Inputs with which a check calls the functions.',
  ),
  bearerEnv: optional(
    placed(text()),
    'Name of the environment variable with a bearer token for the server, on the machine that runs the check: PROBITY_TARGET_ and the id in capitals, every other character as "_".',
  ),
  probeEvery: optional(
    number(1, MAX_PACE_SECONDS),
    'Seconds between two probes of the health by a directory, within the bounds of its operator. Default: as the directory does.',
  ),
  testEvery: optional(
    number(1, MAX_PACE_SECONDS),
    'Seconds between two tests by a directory, within the bounds of its operator. Default: as the directory does.',
  ),
  tests: optional(
    flag,
    '`false`: a directory does not test the server. It is then listed only if the operator approves it.',
  ),
});

/** Of a server of the Model Context Protocol, which is called over HTTP only. */
export const mcpListingShape = record('a listing', {
  ...listingShape.keys,
  transport: required(listOf(oneOf(['http']), { atLeast: 1 }), listingShape.keys.transport.doc),
  endpoint: required(mcpEndpoint, listingShape.keys.endpoint.doc),
});

export type RawListing = ValueOf<typeof listingShape>;

/** The fields of the server record that an author must provide. */
export const REQUIRED_FIELDS = RECORD_FIELDS.filter(
  (field): field is Exclude<RecordField, MeasuredField> => listingShape.keys[field].required,
);

/** The parts of the listing, for the reference in the docs. */
export const listingLanguageParts = {
  listing: listingShape,
  author,
  auditReport,
  build,
  signer,
  deployment,
  sample,
} as const;
