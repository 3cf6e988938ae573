import { jsonBody } from '../checks/json/json-body.ts';
import { valueAt } from '../checks/json/local-reference.ts';
import { changedByBridge } from '../checks/mcp/changed-by-bridge.ts';
import { relayedRequest, sentJson } from '../checks/mcp/relayed.ts';
import { type Exchange, headerValue } from '../model/exchange.ts';
import { type Json, ownProperty } from '../model/json.ts';
import { type Finding, inapplicable, undecided } from '../model/judgement.ts';
import { REPLACED_HEADER } from '../model/replaced.ts';
import type { RunSettings } from '../model/report.ts';
import { functionsIn, type RunRecord } from '../run/record.ts';
import type { JudgedAssertion } from './judged-assertion.ts';
import { attributed, type OriginOf, originsWith } from './origin.ts';

/** What judging behind a bridge needs of the whole run. */
export interface BridgeBasis {
  readonly originOf: OriginOf;
  /** It changed no answer of its server. */
  readonly isFaithful: boolean;
  /** Variables whose values were replaced, somewhere in what came from the server. */
  readonly replaced: readonly string[];
  /** Where a replaced value spoils every call: what is sent follows from it. */
  readonly schemasText: string;
  readonly exchanges: readonly Exchange[];
  /** False if the server says that it has none. */
  readonly offersTools: boolean;
}

/** Null if the exchanges show what the server itself did: without a bridge, or without a session. */
export function bridgeBasis(
  { bridged }: Pick<RunSettings, 'bridged'>,
  record: RunRecord,
): BridgeBasis | null {
  if (bridged === undefined || bridged.protocolVersion === '') return null;
  const replaced = [...new Set(record.exchanges.flatMap(replacedIn))];
  return {
    originOf: originsWith(functionsIn(record)),
    isFaithful: changedByBridge(record.exchanges).length === 0,
    replaced,
    // Thousands of schemas are written only for a run that needs them.
    schemasText: replaced.length === 0 ? '' : JSON.stringify(functionsIn(record), withoutProse),
    exchanges: record.exchanges,
    offersTools: !record.exchanges.some(saysThatNoTools),
  };
}

function replacedIn(exchange: Exchange): readonly string[] {
  if (exchange.kind === 'unanswered') return [];
  return headerValue(exchange.response.headers, REPLACED_HEADER)?.split(', ') ?? [];
}

function withoutProse(key: string, value: unknown): unknown {
  return key === 'description' || key === 'title' ? undefined : value;
}

function saysThatNoTools(exchange: Exchange): boolean {
  if (exchange.kind === 'unanswered' || relayedRequest(exchange) === undefined) return false;
  const capabilities = ownProperty(ownProperty(jsonBody(exchange).value, 'learned'), 'capabilities');
  return capabilities !== undefined && ownProperty(capabilities, 'tools') === undefined;
}

/** Servers of prompts or resources alone need not have tools. */
const NOT_EMPTY = 'capabilities/functions-not-empty';

/** What a bridge makes is no behaviour of the server behind it. */
export function behindBridge(judged: JudgedAssertion, basis: BridgeBasis): JudgedAssertion {
  const { assertion, instance, finding, exchange } = judged;
  const { requirement } = assertion;
  const needsTools =
    finding.outcome === 'blocked' ? finding.blockedBy === NOT_EMPTY : requirement === NOT_EMPTY;
  if (needsTools && !basis.offersTools && basis.isFaithful)
    return { ...judged, finding: inapplicable('the server offers no tools') };
  const origin = basis.originOf(requirement, instance?.call?.functionName);
  const own = attributed(finding, requirement, origin, exchange, basis.isFaithful);
  return atRecordedCall({ ...judged, finding: undecidedIfReplaced(own, exchange, basis) }, basis);
}

/** A replaced value may be why a name, an input or a result is invalid. */
function undecidedIfReplaced(
  finding: Finding,
  exchange: Exchange | null,
  { replaced, schemasText }: BridgeBasis,
): Finding {
  if (finding.outcome !== 'failed' || replaced.length === 0) return finding;
  const { outcome: _, ...evidence } = finding;
  const exchanged = exchange === null ? [] : [sentJson(exchange), receivedFor(finding, exchange)];
  // What is sent over a relay follows from no schema.
  const followsSchemas = exchange === null || relayedRequest(exchange) === undefined;
  const texts = JSON.stringify([followsSchemas ? schemasText : '', evidence, ...exchanged]);
  const variable = replaced.find((name) => new RegExp(`\\$${name}(?![A-Za-z0-9_])`).test(texts));
  if (variable === undefined) return finding;
  return undecided({
    ...evidence,
    fault: 'harness',
    advice: `The value of the variable ${variable} may be secret, so $${variable} was put in its place where the server repeats it. If it is not secret, give it in another way, such as before the program in the command, or use another value, and check again.`,
  });
}

/** What the finding is about: of the record of a whole run, only one call. */
function receivedFor({ pointer = '' }: { readonly pointer?: string }, exchange: Exchange): Json {
  if (exchange.kind === 'unanswered') return exchange.reason.message;
  const value = jsonBody(exchange).value ?? null;
  const [, call] = isRecord(exchange) ? (IN_RECORDED_CALL.exec(pointer) ?? []) : [];
  return (call === undefined ? value : valueAt(value, call)) ?? null;
}

const IN_RECORDED_CALL = /^(\/calls\/\d+)(?:\/result(?:\/structuredContent)?)?(.*)/;

function isRecord(exchange: Exchange): boolean {
  return relayedRequest(exchange)?.recorded === true;
}

/** A bridge's record is gone with it, but the call can be made again. */
function atRecordedCall(judged: JudgedAssertion, { exchanges }: BridgeBasis): JudgedAssertion {
  const { finding, exchange } = judged;
  if (exchange?.kind !== 'answered' || !('pointer' in finding) || !isRecord(exchange)) return judged;
  const { pointer = '', ...rest } = finding;
  const [, recorded, below] = IN_RECORDED_CALL.exec(pointer) ?? [];
  if (recorded === undefined) return judged;
  const requestId = ownProperty(valueAt(jsonBody(exchange).value ?? null, recorded), 'requestId');
  const call = exchanges.find((one) => ownProperty(sentJson(one), 'requestId') === requestId);
  if (requestId === undefined || call?.kind !== 'answered') return judged;
  const answered = `/result${below}`;
  const isThere = valueAt(jsonBody(call).value ?? null, answered) !== undefined;
  return { ...judged, finding: isThere ? { ...rest, pointer: answered } : rest, exchange: call };
}

/** The exchanges that open or end the session of a relayed one, without which it cannot be repeated. */
export function exchangesOfSession(exchange: Exchange, exchanges: readonly Exchange[]): readonly Exchange[] {
  const session = relayedRequest(exchange)?.session;
  if (session === undefined) return [];
  return exchanges.slice(0, exchanges.indexOf(exchange)).filter((one) => {
    const sent = relayedRequest(one);
    return sent?.session === session && (sent.end === true || methodsIn(sent.send).some(isOpening));
  });
}

function methodsIn(messages: Json | undefined): readonly (Json | undefined)[] {
  return Array.isArray(messages)
    ? (messages as readonly Json[]).map((one) => ownProperty(one, 'method'))
    : [];
}

function isOpening(method: Json | undefined): boolean {
  return method === 'initialize' || method === 'notifications/initialized';
}
