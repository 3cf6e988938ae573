import { createHash } from 'node:crypto';
import { jsonBody } from '../checks/json/json-body.ts';
import { canonicalJson, isJsonObject, type Json, ownProperty } from '../json/json.ts';
import { type FastestCalls, fastestCalls } from '../latency/fastest-calls.ts';
import { type Answer, isAnswer } from '../model/exchange.ts';
import type { Outcome } from '../model/judgement.ts';
import {
  callName,
  isMeasurement,
  type ResponseTimes,
  type RunTarget,
  type Summary,
  type TestResult,
} from '../model/report.ts';
import { messageMethod } from '../model/sent.ts';

/** What a trend needs of a stored result, which may have megabytes. */
export interface TrendRun {
  readonly file: string;
  readonly id: string;
  readonly startedAt: string;
  readonly verdict: TestResult['verdict'];
  readonly reachable: boolean;
  readonly target: RunTarget;
  /** Its name in the configuration; absent without one. */
  readonly targetName?: string;
  readonly summary: Summary;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /**
   * The same for runs between which neither the server, as far as it says, nor the check changed. Null if the server
   * did not say what functions it has.
   */
  readonly conditions: string | null;
  readonly times: readonly TrendTimes[];
}

/** How fast one operation answered in a run. */
export interface TrendTimes {
  /** `health`, `execute:add`. */
  readonly name: string;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** 95 % interval of p50; null if the figures are not reliable. */
  readonly intervalMs: readonly [low: number, high: number] | null;
  /** By which runs are compared; null if they cannot be. */
  readonly fastest: FastestCalls | null;
  /** Figures of open and closed loops cannot be compared. */
  readonly load: 'open' | 'closed' | null;
}

export function trendRun(result: TestResult, file: string): TrendRun {
  const { id, startedAt, verdict, reachable, summary, results, responseTimes, settings } = result;
  return {
    file,
    id,
    startedAt,
    verdict,
    reachable,
    target: result.target,
    ...(settings.targetName === undefined ? {} : { targetName: settings.targetName }),
    summary,
    outcomes: new Map(results.map((row) => [row.id, row.outcome])),
    conditions: conditionsOf(result),
    times: responseTimes.map(timesOf),
  };
}

function timesOf(times: ResponseTimes): TrendTimes {
  const measured = isMeasurement(times) ? times : null;
  return {
    name: callName(times),
    p50Ms: times.p50Ms ?? null,
    p95Ms: times.p95Ms ?? null,
    intervalMs: measured === null || measured.unreliable.length > 0 ? null : (times.intervals.p50 ?? null),
    fastest: measured === null ? null : fastestCalls(measured),
    load: measured?.load.model.kind ?? null,
  };
}

function conditionsOf(result: TestResult): string | null {
  const functions = functionsIn(result);
  if (functions === null) return null;
  const { name, version, mcpVersion, form } = result.target;
  const { seed: _, ...settings } = result.settings;
  const { suites, harness } = result;
  // Through JSON, which leaves out what is undefined.
  const all = JSON.stringify({ name, version, mcpVersion, form, functions, settings, suites, harness });
  return createHash('sha256')
    .update(canonicalJson(JSON.parse(all) as Json))
    .digest('hex');
}

/** The descriptors of the first answer that has them, or the tools of all pages. */
function functionsIn({ exchanges }: TestResult): Json | null {
  const tools = exchanges.filter(isAnswer).flatMap(toolsIn);
  if (tools.length > 0) return [...new Map(tools.map((tool) => [canonicalJson(tool), tool])).values()];
  for (const exchange of exchanges) {
    if (exchange.kind !== 'answered' || !/^capabilities\/read[#@[]/.test(exchange.request.key)) continue;
    const { body } = exchange.response;
    const read = 'text' in body ? jsonIn(body.text) : null;
    if (isJsonObject(read) && read.functions !== undefined) return read.functions;
  }
  return null;
}

function toolsIn(answer: Answer): readonly Json[] {
  if (messageMethod(answer.request) !== 'tools/list') return [];
  const tools = ownProperty(ownProperty(jsonBody(answer).value, 'result'), 'tools');
  return Array.isArray(tools) ? tools : [];
}

function jsonIn(text: string): Json | null {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
