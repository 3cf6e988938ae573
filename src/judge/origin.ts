import { jsonBody } from '../checks/json/json-body.ts';
import { relayedRequest } from '../checks/mcp/relayed.ts';
import { GATED_ADVICE } from '../checks/transport-advice.ts';
import { type Exchange, isSuccess } from '../model/exchange.ts';
import { isNamedBy } from '../model/glob.ts';
import { canonicalJson, type Json, ownProperty } from '../model/json.ts';
import { type Finding, failed, inapplicable, type Origin, passed, undecided } from '../model/judgement.ts';
import { CONTENT_RESULT } from '../model/tool-result.ts';

/** A bridge makes everything else: the envelope, the errors, /health. */
const OF_SERVER = [
  'capabilities/functions-not-empty',
  'capabilities/function-name*',
  'capabilities/function-description',
  'capabilities/parameters-*',
  'capabilities/required-declared',
  'capabilities/schema-valid',
  'documentation/function-descriptions',
  'documentation/parameter-*',
  'execute/reachable',
  'execute/status-200',
  'execute/concurrent-isolation',
  'errors/missing-required',
  'errors/wrong-type',
  'inputs/*',
  // The bridge tells its callers when the server started.
  'health/uptime-monotonic',
  'robustness/survives',
  'security/no-stack-trace',
  'performance/execute-latency',
  'performance/error-rate',
];

/** These are about declared results, and a bridge declares the result of a tool that has no output schema. */
const OF_DECLARED_RESULTS = [
  'capabilities/returns-schema',
  'documentation/return-types',
  'execute/result-matches-returns',
  'execute/result-keys-declared',
  'inputs/result-matches-returns',
];

/** Whose behaviour a requirement shows, for all functions together or for one of them. */
export type OriginOf = (requirement: string, functionName?: string) => Origin;

/** `functions` are the descriptors that the bridge lists. A requirement of a user's own suite shows the server. */
export function originsWith(functions: readonly Json[]): OriginOf {
  // Once for all requirements, because a server may list thousands of functions.
  const declaring = new Set(functions.filter(declaresResult).map((one) => ownProperty(one, 'name')));
  return (requirement, functionName) => {
    if (requirement === OF_BRIDGE) return 'bridge';
    if (OF_DECLARED_RESULTS.includes(requirement)) {
      const isDeclared = functionName === undefined ? declaring.size > 0 : declaring.has(functionName);
      return isDeclared ? 'server' : 'bridge';
    }
    const isOfBridge = BRIDGED_AREAS.test(requirement) && !isNamedBy(OF_SERVER, requirement);
    return isOfBridge ? 'bridge' : 'server';
  };
}

/** It is about the bridge itself. */
const OF_BRIDGE = 'mcp/relayed-unchanged';

const BRIDGED_AREAS =
  /^(health|capabilities|documentation|execute|errors|robustness|security|transport|performance)\//;

const MADE = canonicalJson(CONTENT_RESULT);

function declaresResult(descriptor: Json): boolean {
  return canonicalJson(ownProperty(descriptor, 'returns') ?? null) !== MADE;
}

/** The protocol of the server has nothing like it. */
const UNKNOWN_TO_SERVER: ReadonlySet<string> = new Set(['documentation/examples']);

/** It restarts with each session, so it is compared with the clock only for what the bridge makes. */
const OF_SESSION: ReadonlySet<string> = new Set(['health/uptime-seconds']);

/** These are met by any refusal of a call. */
const OF_REFUSAL: ReadonlySet<string> = new Set([
  'errors/missing-required',
  'errors/wrong-type',
  'inputs/invalid-refused',
]);

/** Clients of the protocol are told of changes, or list the tools again. */
const OF_CHANGES = 'capabilities/stable';

/**
 * A finding about what a bridge makes says nothing of the server, unless the bridge reports a fault of the server. A
 * bridge that changed one answer is no evidence against its server.
 */
export function attributed(
  finding: Finding,
  requirement: string,
  origin: Origin,
  exchange: Exchange | null,
  isFaithful: boolean,
): Finding {
  if (UNKNOWN_TO_SERVER.has(requirement))
    return inapplicable('the Model Context Protocol has no place for it');
  if (finding.outcome === 'blocked') return finding;
  const isOpen = finding.outcome === 'failed' || finding.outcome === 'undecided';
  if (isOpen && !requirement.startsWith('mcp/http-') && isGated(exchange)) {
    const { outcome: _, ...evidence } = finding;
    return undecided({
      ...evidence,
      message: 'the server wants a key for this',
      fault: 'harness',
      because: 'turned-away',
      advice: GATED_ADVICE,
    });
  }
  if (exchange !== null && relayedRequest(exchange) !== undefined && !isSuccessful(exchange))
    return notRelayed(exchange);
  if (finding.outcome === 'inapplicable') return finding;
  if (OF_SESSION.has(requirement)) return inapplicable('made by the bridge');
  if (finding.outcome === 'passed') return origin === 'server' ? finding : inapplicable('made by the bridge');
  const { outcome: _, ...evidence } = finding;
  const reported = reportedIn(exchange);
  if (reported === 'limit') {
    const message = exchange?.kind === 'answered' ? errorIn(exchange) : evidence.message;
    return undecided({ ...evidence, message, fault: 'harness', advice: LIMIT_ADVICE });
  }
  const isRelayed = exchange !== null && relayedRequest(exchange) !== undefined;
  if (!isFaithful && !isRelayed) return undecided({ ...evidence, fault: 'bridge', advice: BRIDGE_ADVICE });
  if (origin === 'bridge' && OF_DECLARED_RESULTS.includes(requirement))
    return inapplicable('the tool does not declare its result');
  switch (reported) {
    case 'slow':
      return undecided({ ...evidence, fault: 'harness', advice: SLOW_ADVICE });
    case 'broken':
      return failed({ ...evidence, message: errorIn(exchange), fault: 'server', advice: BROKEN_ADVICE });
    case 'refused':
      // Whatever its code is, an error of the protocol refuses the call; mcp/errors-in-results says how to do it better.
      if (OF_REFUSAL.has(requirement)) return passed;
      return origin === 'server' ? finding : undecided({ ...evidence, fault: 'server' });
    case 'unavailable':
      return finding;
    case 'nowhere':
      return undecided({ ...evidence, fault: 'bridge', advice: BRIDGE_ADVICE });
    case 'nothing':
      if (requirement === OF_CHANGES && finding.outcome === 'failed')
        return inapplicable('the server changed its tools, as it may');
      // A limit of the harness, such as a body that is nested too deeply, is no defect of the bridge.
      return origin === 'server' || (finding.outcome === 'undecided' && finding.fault === 'harness')
        ? finding
        : undecided({ ...evidence, fault: 'bridge' });
  }
}

/** 401 or 403, as the relay or the bridge passes it on. */
function isGated(exchange: Exchange | null): boolean {
  if (exchange?.kind !== 'answered') return false;
  const { value } = jsonBody(exchange);
  const replies = ownProperty(value, 'replies');
  const statuses = (Array.isArray(replies) ? (replies as readonly Json[]) : []).map((one) =>
    ownProperty(one, 'status'),
  );
  if (statuses.some((status) => status === 401 || status === 403)) return true;
  return ABOUT_SERVER.has(exchange.response.status) && /\bthe status 40[13]\b/.test(errorIn(exchange));
}

/** Whatever was sent came neither from the server nor unchanged. */
function notRelayed(exchange: Exchange): Finding {
  const isLimit = reportedIn(exchange) === 'limit';
  const isOfHarness = isLimit || (exchange.kind === 'unanswered' && exchange.reason.fault === 'harness');
  return undecided({
    message: exchange.kind === 'unanswered' ? exchange.reason.message : errorIn(exchange),
    expected: 'what the server sent',
    received: exchange.kind === 'unanswered' ? 'no answer' : `status ${exchange.response.status}`,
    ...(isLimit ? { advice: LIMIT_ADVICE } : isOfHarness ? {} : { advice: BRIDGE_ADVICE }),
    fault: isOfHarness ? 'harness' : 'bridge',
  });
}

function isSuccessful(exchange: Exchange): boolean {
  return exchange.kind === 'answered' && isSuccess(exchange.response.status);
}

const BRIDGE_ADVICE =
  'Check the server again. If this is repeated, report it as a defect of Probity, with the report.';
const BROKEN_ADVICE =
  'Answer every call with a valid result, or with isError and a text; catch all errors of a tool.';
const LIMIT_ADVICE =
  'The server may answer at this length, but clients may not read it: return less, in pages or as links.';
const SLOW_ADVICE =
  'The server may take longer: raise --timeout, or give the tool a sample with a quicker input.';

/** The error of a bridge whose server ended, or answered what no client can read: no refusal of the call. */
const BROKEN: ReadonlySet<Json | undefined> = new Set(['SERVER_ENDED', 'INVALID_ANSWER']);
/** With these a bridge reports what is wrong with the server behind it. */
const ABOUT_SERVER: ReadonlySet<number> = new Set([502, 503, 504]);

/** What an exchange with a bridge shows of the server. The protocol sets no time for a call. */
function reportedIn(
  exchange: Exchange | null,
): 'slow' | 'limit' | 'broken' | 'refused' | 'unavailable' | 'nowhere' | 'nothing' {
  if (exchange?.kind === 'unanswered') {
    if (exchange.reason.code === 'timeout') return 'slow';
    if (exchange.reason.code === 'body-too-large') return 'limit';
    return exchange.reason.fault === 'harness' ? 'unavailable' : 'nowhere';
  }
  if (exchange === null || !ABOUT_SERVER.has(exchange.response.status)) return 'nothing';
  const code = ownProperty(ownProperty(jsonBody(exchange).value, 'error'), 'code');
  if (BROKEN.has(code)) return 'broken';
  if (code === 'ANSWER_TOO_LARGE') return 'limit';
  return code === 'PROTOCOL_ERROR' ? 'refused' : 'unavailable';
}

/** The bridge's words for what is wrong with the server. */
function errorIn(exchange: Exchange | null): string {
  const body = exchange?.kind === 'answered' ? jsonBody(exchange).value : undefined;
  return String(ownProperty(ownProperty(body, 'error'), 'message') ?? 'the server broke off the call');
}
