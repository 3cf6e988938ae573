import { parseIso8601 } from '../checks/iso8601.ts';
import { isOnCalendar } from '../model/day.ts';
import { parseTarget } from '../model/target.ts';
import { sample } from './config-language.ts';
import {
  anyMapping,
  either,
  flag,
  isText,
  listOf,
  mapOf,
  number,
  oneOf,
  optional,
  placed,
  record,
  required,
  type Shape,
  text,
} from './shape.ts';

/** A text that passes a test which no pattern can make; `remedy` says what to write. */
function textThat(
  base: Shape<string>,
  problemOf: (value: string) => { readonly problem: string; readonly remedy: string } | null,
): Shape<string> {
  return {
    ...base,
    read: (tree, report) => {
      const value = base.read(tree, report);
      const found = value === undefined ? null : problemOf(value);
      if (found === null) return value;
      report('wrong-value', tree.place, found.problem, found.remedy);
      return undefined;
    },
  };
}

const MAX_ADDRESS_CHARACTERS = 2000;

function addressProblem(value: string): { problem: string; remedy: string } | null {
  const remedy = 'Write an address that starts with https:// (or http://), such as https://example.org/path.';
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    return { problem: 'this is not an address', remedy };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { problem: `an address of ${url.protocol} is not one of http or https`, remedy };
  if (url.username !== '' || url.password !== '')
    return {
      problem: 'the address carries a user name or password',
      remedy: 'Leave them out: a listing is public.',
    };
  return value.length > MAX_ADDRESS_CHARACTERS
    ? { problem: `the address is longer than ${MAX_ADDRESS_CHARACTERS} characters`, remedy }
    : null;
}

const addressText = text({ pattern: /^https?:\/\/\S+$/i, words: 'an http or https address' });
const address = textThat(addressText, addressProblem);

const endpoint = textThat(addressText, (value) => {
  const parsed = parseTarget(value);
  return 'problem' in parsed ? parsed : null;
});

const day = textThat(text({ pattern: /^\d{4}-\d{2}-\d{2}$/, words: 'a date such as 2026-03-31' }), (value) =>
  isOnCalendar(value)
    ? null
    : { problem: `"${value}" is a day that no calendar has`, remedy: 'Write a date such as 2026-03-31.' },
);

const utcTime = textThat(
  text({
    pattern: /T.*(?:Z|[+-]00(?::?00)?)$/i,
    words: 'an ISO 8601 time in UTC, such as 2026-03-31T12:00:00Z',
  }),
  (value) =>
    parseIso8601(value)?.offsetMinutes === 0
      ? null
      : {
          problem: `"${value}" is no ISO 8601 time in UTC`,
          remedy: 'Write a time such as 2026-03-31T12:00:00Z.',
        },
);

const digest = text({
  pattern: /^sha256:[0-9a-f]{64}$/,
  words: 'a digest: sha256: and 64 digits from 0 to f',
});

const author = record('who answers for a server', {
  name: required(text(), 'A person or an organisation.'),
  contact: optional(text(), 'How to reach them: an address of mail or of a page.'),
});

const auditReport = record('an audit report', {
  url: required(address, 'Where the report can be read.'),
  date: required(day, 'When the audit was made.'),
  auditor: required(text(), 'Who made it.'),
});

const signer = record('who signed an attestation', {
  identity: required(
    text(),
    'The name in the certificate: of a workflow its address, of a person an address of mail. It is compared as it is.',
  ),
  issuer: required(
    address,
    'Who vouches for that name, such as https://token.actions.githubusercontent.com.',
  ),
});

const build = record('a build', {
  artifact: optional(address, 'Where the artifact can be fetched.'),
  digest: optional(digest, 'Digest of the artifact, which is made again from what is fetched.'),
  attestation: optional(
    either(isText, address, anyMapping),
    'A Sigstore bundle about the artifact: its address, or the bundle itself.',
  ),
  signer: optional(
    signer,
    'Who must have signed the attestation; anybody, when left out, and the evidence says who.',
  ),
});

const deployment = record('a reproducible deployment', {
  instructions: required(address, 'Where the steps are written down.'),
  digest: required(digest, 'Digest of what is deployed, which the steps must arrive at.'),
});

/** Letters, digits and a few signs: it stands in paths, in names of files and in messages. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const recordKeys = {
  id: optional(
    text({
      pattern: ID,
      words: 'an id: at most 64 letters, digits, ".", "_" and "-", a letter or digit first',
    }),
    'How the directory calls the server in its paths: short, unique, never changed.',
  ),
  name: optional(text(), 'The name that people see.'),
  description: optional(text(), 'What the server does, in a sentence or two.'),
  category: optional(text(), 'One label.'),
  tags: optional(listOf(text()), 'As many as help to find it; the list may be empty.'),
  transport: optional(listOf(oneOf(['http', 'websocket']), { atLeast: 1 }), 'What the server speaks.'),
  uptime: optional(number(0, 100), 'A percentage; shown until it has been measured.'),
  responseTime: optional(
    number(0, Number.POSITIVE_INFINITY),
    'Milliseconds; shown until it has been measured, and what is measured is held to it.',
  ),
  lastUpdated: optional(utcTime, 'When the entry was last updated; the directory says it when left out.'),
  audited: optional(flag, 'true: there is a security audit, which `auditReport` names.'),
  openSource: optional(flag, 'true: the source is public, at the address that `repository` gives.'),
  endpoint: optional(endpoint, 'The base address of the server, without /health and the like.'),
} as const;

const MEASURED = new Set<string>(['uptime', 'responseTime', 'lastUpdated']);

const otherKeys = {
  listing: required(oneOf(['v1']), 'Version of the listing.'),
  version: optional(text(), 'Version of the server.'),
  mcpVersion: optional(text(), 'Version of MCP that it implements: 1.0 or later is required.'),
  author: optional(author, 'Who answers for it.'),
  repository: optional(address, 'Where the source can be read.'),
  licence: optional(text(), 'SPDX expression, such as MIT.'),
  documentation: optional(
    address,
    'Where the API is described. Needed where /capabilities has no place for types, as in form A.',
  ),
  auditReport: optional(auditReport, 'The security audit; preferred, not required.'),
  build: optional(build, 'A build artifact that anybody can verify.'),
  deployment: optional(deployment, 'How anybody makes the deployment again from the source.'),
  samples: optional(
    mapOf(listOf(sample, { orOne: true, atLeast: 1 }), 'function name'),
    'Inputs for functions, with which they are called in a check.',
  ),
  bearerEnv: optional(
    placed(text()),
    'Name of the environment variable, of whoever checks, that holds a bearer token for the server. It is PROBITY_TARGET_ and the id in capitals, every other character as "_".',
  ),
} as const;

/** What belongs to the server record: judged, so that every fault in it is told as evidence. */
export const recordFieldsShape = record('a server record', recordKeys);

/** The rest: refused where it is written wrongly. */
export const listingRestShape = record('a listing', otherKeys);

const { listing: version, ...further } = otherKeys;

/** The listing, probity.listing.yaml, as a whole one is written. */
export const listingShape = record('a listing', {
  listing: version,
  ...Object.fromEntries(
    Object.entries(recordKeys).map(([name, { shape, doc }]) => [
      name,
      MEASURED.has(name) ? optional(shape as Shape<unknown>, doc) : required(shape as Shape<unknown>, doc),
    ]),
  ),
  ...further,
});

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
