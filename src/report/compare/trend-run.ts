import { createHash } from 'node:crypto';
import { jsonBody } from '../../checks/json/json-body.ts';
import { canonicalJson, isJsonObject, type Json, ownProperty } from '../../json/json.ts';
import { fastestCalls } from '../../latency/fastest-calls.ts';
import { type Answer, isAnswer } from '../../model/exchange.ts';
import type { Outcome } from '../../model/judgement.ts';
import { callName, isMeasurement, type ResponseTimes } from '../../model/measurement.ts';
import type { TestResult } from '../../model/report.ts';
import { messageMethod } from '../../model/sent.ts';

export type TrendRun = ReturnType<typeof trendRun>;
export type TrendTimes = TrendRun['times'][number];

/** What a trend needs of a stored result, which may have megabytes. Pure. */
export function trendRun(result: TestResult, file: string) {
  const { id, startedAt, verdict, reachable, summary, results, responseTimes, settings } = result;
  return {
    file,
    id,
    startedAt,
    verdict,
    reachable,
    target: result.target,
    targetName: settings.targetName,
    summary,
    outcomes: new Map(results.map((row) => [row.id, row.outcome] as const)) as ReadonlyMap<string, Outcome>,
    conditions: conditionsOf(result),
    times: responseTimes.map(timesOf),
  };
}

/** How fast one operation answered in a run. */
function timesOf(times: ResponseTimes) {
  const measured = isMeasurement(times) ? times : null;
  return {
    name: callName(times),
    p50Ms: times.p50Ms ?? null,
    p95Ms: times.p95Ms ?? null,
    // Null if the figures are not reliable.
    intervalMs: measured === null || measured.unreliable.length > 0 ? null : (times.intervals.p50 ?? null),
    // By which runs are compared, unless one had an open loop and the other a closed one.
    fastest: measured === null ? null : fastestCalls(measured),
    load: measured?.load.model.kind ?? null,
  };
}

/**
 * The same for runs between which neither the server, as far as it says, nor the check changed. Null if the server did
 * not say what functions it has.
 */
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
