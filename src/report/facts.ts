import { parseIso8601 } from '../checks/iso8601.ts';
import { jsonBody } from '../checks/json-body.ts';
import { type AnsweredExchange, headerValue } from '../model/exchange.ts';
import { type Json, ownProperty } from '../model/json.ts';
import type { Fact, RunTarget } from '../model/report.ts';
import { operationOf } from '../run/operation.ts';
import type { RunRecord } from '../run/record.ts';

/** What was learned on the way that is not a rule. */
export function buildFacts(
  record: RunRecord,
  targetUrl: string,
  maxItems: number,
  sampledNames: readonly string[],
): readonly Fact[] {
  return [
    formFact(record),
    ...boundFacts(record, maxItems),
    samplesFact(record, sampledNames),
    clockFact(record, targetUrl),
    rateLimitFact(record),
    encodingFact(record),
  ].filter((fact) => fact !== null);
}

/** A sample under a name that is not listed is used for nothing, and most likely misspelt. */
function samplesFact(record: RunRecord, sampledNames: readonly string[]): Fact | null {
  const functions = record.saved.get('functions');
  if (!Array.isArray(functions)) return null;
  const names = new Set((functions as readonly Json[]).map((entry) => ownProperty(entry, 'name')));
  const unlisted = sampledNames.filter((name) => !names.has(name));
  if (unlisted.length === 0) return null;
  const shown = unlisted.map((name) => JSON.stringify(name)).join(', ');
  return {
    name: 'samples',
    text: `the target lists no function ${shown}, for which the configuration has samples`,
  };
}

/** Said once for each number, however many steps it holds for. */
function boundFacts({ omissions }: RunRecord, maxItems: number): readonly Fact[] {
  const amounts = [...new Set(omissions.map(({ listed, called }) => `${called} of ${listed}`))];
  return amounts.map((amount) => {
    const steps = omissions
      .filter(({ listed, called }) => `${called} of ${listed}` === amount)
      .map(({ step }) => step);
    const text = `${amount} functions were called by ${steps.join(', ')}, spread evenly over the list; --max-functions raises the bound of ${maxItems}`;
    return { name: 'bound', text };
  });
}

function formFact({ forms }: RunRecord): Fact | null {
  const { capabilities, execute } = forms;
  if (capabilities.form === null) return null;
  const text =
    capabilities.form === execute.form
      ? `form ${capabilities.form}`
      : `functions are described in form ${capabilities.form}, /execute speaks form ${execute.form}`;
  return { name: 'form', text };
}

function answersOf(record: RunRecord): readonly AnsweredExchange[] {
  return record.exchanges.filter((exchange) => exchange.kind === 'answered');
}

/** How far the target's clock is from ours; the truth lies within the time that the answer took. */
function clockFact(record: RunRecord, targetUrl: string): Fact | null {
  const health = answersOf(record).find((exchange) => operationOf(exchange, targetUrl) === 'health');
  if (health === undefined) return null;
  const timestamp = ownProperty(jsonBody(health).value, 'timestamp');
  const parsed = typeof timestamp === 'string' ? parseIso8601(timestamp) : undefined;
  if (parsed === undefined || parsed.offsetMinutes === null) return null;
  const { startedAtMs, durationMs } = health.timing;
  const offsetMs = parsed.localMs - parsed.offsetMinutes * 60_000 - (startedAtMs + durationMs / 2);
  return {
    name: 'clock offset',
    text: `${(offsetMs / 1000).toFixed(1)} s between the target’s clock and this one`,
  };
}

function rateLimitFact(record: RunRecord): Fact | null {
  const limited = answersOf(record).filter(({ response }) => response.status === 429);
  if (limited.length === 0) return null;
  const retryAfter = headerValue(limited[0]?.response.headers ?? [], 'retry-after');
  const hint = retryAfter === undefined ? 'without Retry-After' : `with Retry-After: ${retryAfter}`;
  return {
    name: 'rate limit',
    text: `${limited.length} answers with status 429, ${hint}; they were waited for and decide nothing`,
  };
}

function encodingFact(record: RunRecord): Fact | null {
  const encoded = answersOf(record).find(
    ({ response }) => headerValue(response.headers, 'content-encoding') !== undefined,
  );
  if (encoded === undefined) return null;
  return {
    name: 'content coding',
    text: `answers come as ${headerValue(encoded.response.headers, 'content-encoding')} although identity was asked for`,
  };
}

/** What the target says of itself. */
export function describeTarget(record: RunRecord, targetUrl: string): RunTarget {
  const valueAt = (operation: 'health' | 'capabilities'): Json | undefined => {
    const answer = answersOf(record).find(
      (exchange) => operationOf(exchange, targetUrl) === operation && exchange.response.status === 200,
    );
    return answer === undefined ? undefined : jsonBody(answer).value;
  };
  const health = valueAt('health');
  const capabilities = valueAt('capabilities');
  const server = ownProperty(capabilities, 'server');
  const text = (value: Json | undefined, name: string): string | undefined => {
    const found = ownProperty(value, name);
    return typeof found === 'string' ? found : undefined;
  };
  const name = text(server, 'name');
  const version = text(server, 'version') ?? text(health, 'version');
  const mcpVersion = text(capabilities, 'mcpVersion') ?? text(health, 'mcpVersion');
  return {
    url: targetUrl,
    form: { capabilities: record.forms.capabilities.form, execute: record.forms.execute.form },
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version }),
    ...(mcpVersion === undefined ? {} : { mcpVersion }),
  };
}
