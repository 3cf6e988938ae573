import { compileSelector } from '../json/selector.ts';
import type { FirstFailure } from '../judge/first-failure.ts';
import {
  abortSignal,
  allOf,
  anyList,
  anyObject,
  day,
  flag,
  functionOf,
  json,
  jsonObject,
  listOf,
  mapOf,
  milliseconds,
  notNegative,
  objectWith,
  oneOf,
  positive,
  record,
  required,
  text,
  textNotEmpty,
  textThatIs,
  wholeFrom,
} from '../model/arguments.ts';
import { CHECK_SETTINGS, LATENCY_OPTIONS, MUTATING_OPTIONS } from '../model/check-options.ts';
import { CONTRACT } from '../model/contract.ts';
import type { AnsweredExchange, Exchange } from '../model/exchange.ts';
import { ExpectedError } from '../model/expected-error.ts';
import type { AcceptedFinding } from '../model/judgement.ts';
import type { RecordOf } from '../model/kind.ts';
import type { Span } from '../model/span.ts';
import { type Step, type Suite, TARGET_KINDS } from '../model/suite.ts';
import type { Progress } from '../run/state/run-input.ts';
import { MCP_OPTIONS } from './mcp-options.ts';

export type OnUnlikeAnswer = (exchange: AnsweredExchange) => Promise<void>;

export const SUITE = allOf(
  objectWith<Suite>('a suite from loadSuites', {
    target: required(oneOf(...TARGET_KINDS)),
    id: required(text),
    title: required(text),
    file: required(text),
    digest: required(text),
    steps: required(
      listOf(
        objectWith<Step>('a step', {
          id: required(text),
          needs: required(anyList),
          expect: required(anyList),
        }),
      ),
    ),
  }),
  json,
);

const jsonPath = textThatIs(
  'a JSONPath, such as $.id (RFC 9535)',
  (at) => !('problem' in compileSelector(at)),
);

const sourceRules = listOf(
  record({ glob: required(text), file: required(textNotEmpty), line: required(wholeFrom(1)) }),
);

const sequenceCall = record({
  functionName: required(text),
  input: required(jsonObject),
  from: required(
    mapOf(
      record({
        call: required(wholeFrom(0)),
        place: required(oneOf('input', 'answer')),
        pointer: required(text),
      }),
    ),
  ),
});

/** The options of a check; each has a default. Those that are set by flags and configurations are in the model. */
export const CHECK_OPTIONS = {
  ...CHECK_SETTINGS,
  /** The contract that the target must keep, from `contractOf` or `readContract`. */
  contract: CONTRACT,
  /** The response time of the target that the directory shows. */
  claimedResponseTimeMs: notNegative,
  /**
   * `withListing` decides the requirements of a listing afterwards: `only` and `skip` may name them, and the requests
   * that they depend on are sent.
   */
  listingGiven: flag,
  /** How to call functions that change something, or look as if they do. */
  mutating: record(MUTATING_OPTIONS),
  /** What is timed, and its limits. */
  latency: record(LATENCY_OPTIONS),
  /** How much functions are explored with generated inputs; the default is 17 calls of each. */
  exploring: record({
    valid: wholeFrom(0),
    invalid: wholeFrom(0),
    again: wholeFrom(0),
    pairs: wholeFrom(0),
    sequences: wholeFrom(0),
    smaller: wholeFrom(0),
    durationMs: milliseconds,
    widely: flag,
    first: mapOf(listOf(jsonObject)),
    firstSequences: listOf(listOf(sequenceCall)),
    functions: listOf(text),
  }),
  /** Memory limit of the check, in megabytes; a check that needs more is stopped. */
  maxHeapMb: positive,
  /** Sample inputs by function name. */
  samples: mapOf(listOf(record({ input: required(jsonObject), fails: flag }))),
  /** What the client answers when a server of the Model Context Protocol asks it. */
  answers: record({
    /** Values of the fields of forms, by name; a form is declined unless all that it requires is here. */
    elicitation: jsonObject,
    /** The text that every request for a model is answered with; refused by default. */
    sampling: text,
    /** Addresses such as file:///srv/data; none by default. */
    roots: listOf(textThatIs('an address that begins with file://', (uri) => uri.startsWith('file://'))),
  }),
  /** For parameters of functions, by function name: the function whose result has the value, and its JSONPath. */
  producers: mapOf(mapOf(record({ from: required(textNotEmpty), at: required(jsonPath) }))),
  /** Where the user's code is, for the formats that point to it. */
  sources: record({ functions: required(sourceRules), requirements: required(sourceRules) }),
  /** The name of the target, for its reports and for the commands that repeat a finding. */
  targetName: textNotEmpty,
  /** Files that the user names, for the commands that repeat a finding: they are read by the caller. */
  files: record({ config: textNotEmpty, suites: listOf(textNotEmpty), contract: textNotEmpty }),
  /** The target is a server of the Model Context Protocol: an endpoint, or a command. */
  mcp: record(MCP_OPTIONS),
  /** The target is the platform API of a directory: its base address, which ends in /v1. */
  directory: record({
    /** Id of the entry to read, test and call; chosen by default. */
    entry: text,
    /** Sends a limited burst of searches, to test whether the directory answers 429. */
    tryRateLimit: flag,
  }),
  /** Sent as `Authorization: Bearer …`; a secret too. */
  bearerToken: textNotEmpty,
  /** Further tokens, which their rows need: one that has expired, one for another server, and one of another user. Secrets too. */
  bearerTokens: record({ expired: textNotEmpty, otherAudience: textNotEmpty, other: textNotEmpty }),
  /** Suites to run; the product's own when left out. */
  suites: listOf(SUITE),
  /** The entries of a baseline: neither `bail` nor `onFailure` is about a failure that they accept. */
  knownFailures: listOf(
    objectWith<AcceptedFinding>('an entry of a baseline', {
      requirement: required(text),
      function: text,
      outcome: required(text),
      fingerprint: required(text),
      until: required(day),
    }),
  ),
  /**
   * Exchanges of an earlier check of the same server with the same seed: they are judged again, and their requests are
   * not sent.
   */
  answered: listOf(
    objectWith<Exchange>('an exchange of a report', { kind: required(text), request: required(anyObject) }),
  ),
  /** Ends the run early; what was collected is still judged. */
  signal: abortSignal,
  /** An error that it throws, or rejects with, ends the check, which rejects with the same error. */
  onProgress: functionOf<(progress: Progress) => void>(),
  /** Called with each phase and each wait of the check when it ends; an error ends the check as that of `onProgress`. */
  onSpan: functionOf<(span: Span) => void>(),
  /** Called once, with the first answer that breaks a MUST, while the run goes on. */
  onFailure: functionOf<(failure: FirstFailure) => void>(),
  /**
   * Called with the first answer to GET /health or GET /capabilities that no server with the three endpoints gives. The
   * run goes on when the promise resolves; an error ends it, which rejects with the same error.
   */
  onUnlikeAnswer: functionOf<OnUnlikeAnswer>(),
};

export type CheckOptions = RecordOf<typeof CHECK_OPTIONS>;

export const TARGET_URL = required(
  textThatIs('the base address of the server, such as http://127.0.0.1:3000'),
);

export const CHECK_ARGUMENTS = { url: TARGET_URL, options: record(CHECK_OPTIONS) };

/** An address that cannot be checked, with the remedy. */
export class TargetError extends ExpectedError {
  override readonly name = 'TargetError';
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(`${problem}. ${remedy}`);
    this.remedy = remedy;
  }
}
