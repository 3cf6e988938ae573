import type { Json } from '../../json/json.ts';
import { parseUrl } from '../../text/parse-url.ts';
import { optional, record, required } from '../yaml/mapping.ts';
import { parseDocument } from '../yaml/parse-document.ts';
import { checked, flag, integer, listOf, number, oneOf, text } from '../yaml/shape.ts';
import { writeYaml } from '../yaml/write-yaml.ts';

const MAX_SECONDS = 366 * 24 * 3600;

const minAndMax = record('the least and the greatest number of seconds', {
  min: required(integer(1, MAX_SECONDS), 'The least number of seconds.'),
  max: required(integer(1, MAX_SECONDS), 'The greatest number of seconds.'),
});

const bounds = checked(minAndMax, ({ min, max }) =>
  min <= max ? null : { problem: `min (${min}) is above max (${max})`, remedy: 'Exchange the two.' },
);

const pace = record('the pace of probes and tests', {
  probeSeconds: optional(
    bounds,
    'How often an author may have the server probed; default: from 60 to 3600 seconds.',
  ),
  testSeconds: optional(
    bounds,
    'How often an author may have the server tested; default: from 3600 to 604800 seconds.',
  ),
  mayRefuseTests: optional(
    flag,
    'Whether an author may refuse tests; default: true. Such a server is listed only if the operator approves it.',
  ),
});

/** Somebody at some place; only mail itself shows more. */
const MAILBOX = /^[^\s@,]+@[^\s@,]+$/;

const address = checked(
  text({ maxCharacters: 2000, words: 'an address that starts with https://, http:// or mailto:' }),
  (value) => {
    const url = parseUrl(value);
    const isAddress =
      url !== null &&
      (url.protocol === 'mailto:'
        ? MAILBOX.test(url.pathname)
        : /^https?:$/.test(url.protocol) && url.username === '' && url.password === '');
    return isAddress
      ? null
      : {
          problem: `"${value}" is not an address`,
          remedy:
            'Write an address such as https://example.org/rules or mailto:operator@example.org, without a user name.',
        };
  },
);

const operator = record('who runs the directory', {
  name: optional(text({ maxCharacters: 200 }), 'A person or an organisation.'),
  contact: optional(address, 'Where to reach them: a page, or mailto: with an address.'),
  rules: optional(address, 'The page with the rules of the directory.'),
});

/** The policy of a directory. What is left out has its default. */
export const policyShape = record('a policy', {
  policy: required(oneOf(['v1']), 'Version of the policy.'),
  rejectOn: optional(
    oneOf(['must', 'should']),
    'Findings of this level and above keep a server from being listed; default: must.',
  ),
  minimumCoverage: optional(
    number(0, 100),
    'The percentage of the functions of a server that must give a result, or it is undecided; default: 0.',
  ),
  requireAudit: optional(flag, 'Whether only servers with a security audit are listed; default: false.'),
  duplicates: optional(
    oneOf(['show', 'refuse']),
    'Whether a second entry with the same endpoint is accepted and shown to the operator, or refused; default: show.',
  ),
  holdOn: optional(
    checked(listOf(oneOf(['breaking', 'suspicious']), { atMost: 2 }), (names) =>
      new Set(names).size === names.length
        ? null
        : { problem: 'a name is given twice', remedy: 'Write each name once.' },
    ),
    'Changes of a contract that put an entry on hold until its release; default: none.',
  ),
  pace: optional(pace, 'The bounds in which an author sets the pace of probes and tests.'),
  operator: optional(operator, 'Who runs the directory, on each page.'),
});

/** The parts of the policy, for the reference in the docs. */
export const policyLanguageParts = { policy: policyShape, pace, bounds: minAndMax, operator } as const;

type Bounds = { readonly min: number; readonly max: number };

/** What a file says; every key may be missing. */
export interface GivenPolicy {
  readonly rejectOn?: 'must' | 'should';
  readonly minimumCoverage?: number;
  readonly requireAudit?: boolean;
  readonly duplicates?: 'show' | 'refuse';
  readonly holdOn?: readonly ('breaking' | 'suspicious')[];
  readonly pace?: {
    readonly probeSeconds?: Bounds;
    readonly testSeconds?: Bounds;
    readonly mayRefuseTests?: boolean;
  };
  readonly operator?: { readonly name?: string; readonly contact?: string; readonly rules?: string };
}

/** Reads a policy; throws a SuiteError with everything that is wrong with it. Pure. */
export function parsePolicy(source: string, file: string): GivenPolicy {
  return parseDocument(source, file, policyShape, ({ policy: _version, ...given }) => given);
}

/** A policy as the text of its file, with what each key means; read again, it gives the same policy. Pure. */
export function writePolicy(policy: GivenPolicy): string {
  const sections = Object.entries(policyShape.keys).flatMap(([key, { doc }]) => {
    const value = key === 'policy' ? 'v1' : policy[key as keyof GivenPolicy];
    const isEmpty = typeof value === 'object' && Object.keys(value).length === 0 && !Array.isArray(value);
    return value === undefined || isEmpty ? [] : [{ comment: [doc], key, value: value as Json }];
  });
  return writeYaml(sections);
}
