import { parseIso8601 } from '../checks/iso8601.ts';
import { jsonBody } from '../checks/json/json-body.ts';
import { type Access, accessOf, OPERATIONS } from '../checks/security/access-told.ts';
import { type Json, ownProperty, ownText } from '../json/json.ts';
import { type AnsweredExchange, headerValue } from '../model/exchange.ts';
import { isRateLimited } from '../model/rate-limit.ts';
import type { Fact, McpServer, RunSettings, RunTarget } from '../model/report.ts';
import type { KnownForm, RunRecord } from '../run/state/record.ts';
import { operationOf } from '../run/steps/operation.ts';
import { operationName } from './operations.ts';

/** What the answers of a run show of the target, beside what requirements cover. */
export function targetFacts(
  record: RunRecord,
  targetUrl: string,
  settings: RunSettings,
): readonly (Fact | null)[] {
  return [
    clockFact(record, targetUrl),
    rateLimitFact(record),
    encodingFact(record),
    accessFact(record, targetUrl, settings),
    keepAliveFact(record),
    tlsFact(record),
    ...oddityFacts(record),
    numbersFact(record),
  ];
}

function answersOf(record: RunRecord): readonly AnsweredExchange[] {
  return record.exchanges.filter((exchange) => exchange.kind === 'answered');
}

/** The offset of the target's clock, exact to the time that the answer took. */
function clockFact(record: RunRecord, targetUrl: string): Fact | null {
  const health = answersOf(record).find((exchange) => operationOf(exchange, targetUrl) === 'health');
  if (health === undefined) return null;
  const parsed = parseIso8601(ownText(jsonBody(health).value, 'timestamp') ?? '');
  if (parsed === undefined || parsed.offsetMinutes === null) return null;
  const { startedAtMs, durationMs } = health.timing;
  const offsetMs = parsed.localMs - parsed.offsetMinutes * 60_000 - (startedAtMs + durationMs / 2);
  // Without `|| 0`, a small negative offset is printed as -0.0.
  const offsetSeconds = Math.round(offsetMs / 100) / 10 || 0;
  return {
    name: 'clock offset',
    text: `${offsetSeconds.toFixed(1)} s between the target’s clock and this one`,
  };
}

function rateLimitFact(record: RunRecord): Fact | null {
  const limited = answersOf(record).filter(isRateLimited);
  if (limited.length === 0) return null;
  const statuses = [...new Set(limited.map(({ response }) => response.status))].sort().join(' and ');
  const retryAfter = headerValue(limited[0]?.response.headers ?? [], 'retry-after');
  const hint = retryAfter === undefined ? 'without Retry-After' : `with Retry-After: ${retryAfter}`;
  return {
    name: 'rate limit',
    text: `${limited.length} ${limited.length === 1 ? 'answer' : 'answers'} with status ${statuses}, ${hint}; the check waited`,
  };
}

function accessFact(record: RunRecord, targetUrl: string, settings: RunSettings): Fact | null {
  const requests = record.steps.flatMap((run) =>
    run.kind === 'ran' && run.step.request !== null
      ? run.instances.flatMap(({ exchanges, call, item }) =>
          exchanges.map((exchange) => ({ exchange, call, item })),
        )
      : [],
  );
  const known = OPERATIONS.map((operation) => ({
    operation,
    access: accessOf(operation, requests, targetUrl, settings.headerNames),
  })).filter(({ access }) => access !== 'unknown');
  if (known.length === 0) return null;
  return {
    name: 'access',
    text: known
      .map(({ operation, access }) => `${operationName({ settings }, operation)}: ${ACCESS_WORDS[access]}`)
      .join(', '),
  };
}

const ACCESS_WORDS: Readonly<Record<Access, string>> = {
  open: 'open to anyone',
  'needs a key': 'needs a key',
  mixed: 'some requests need a key',
  unknown: 'unknown',
};

function keepAliveFact(record: RunRecord): Fact | null {
  const run = record.steps.find(({ kind, step }) => kind === 'ran' && step.request?.keepConnection === true);
  if (run?.kind !== 'ran') return null;
  const [, second] = run.instances.flatMap(({ exchanges }) => exchanges);
  if (second?.kind !== 'answered') return null;
  const text = second.connection.reused
    ? 'connections stay open for further requests'
    : 'each request needs a new connection';
  return { name: 'keep-alive', text };
}

function tlsFact(record: RunRecord): Fact | null {
  const tls = answersOf(record).find(({ connection }) => connection.tls !== null)?.connection.tls;
  if (tls === null || tls === undefined) return null;
  return {
    name: 'TLS',
    text: `${tls.protocol}, the certificate is valid to ${new Date(tls.validToMs).toISOString().slice(0, 10)}`,
  };
}

/** Responses that clients accept, but no server should send. */
function oddityFacts(record: RunRecord): readonly Fact[] {
  const answers = answersOf(record);
  const oddities = [...new Set(answers.flatMap(({ response }) => response.oddities))];
  return oddities.slice(0, MAX_ODDITIES).map((oddity) => {
    const count = answers.filter(({ response }) => response.oddities.includes(oddity)).length;
    return { name: 'HTTP', text: `${oddity} (${count} ${count === 1 ? 'answer' : 'answers'})` };
  });
}

const MAX_ODDITIES = 10;

/** Legal numbers that many parsers do not read exactly. */
function numbersFact(record: RunRecord): Fact | null {
  const [first] = answersOf(record).flatMap((exchange) =>
    jsonBody(exchange).numbers.map((number) => ({ ...number, url: exchange.request.url })),
  );
  if (first === undefined) return null;
  const what = first.kind === 'overflow' ? 'is too large for a double' : 'is not exact as a double';
  return {
    name: 'numbers',
    text: `${new URL(first.url).pathname} answers with ${first.literal} at ${first.pointer || 'the top'}, which ${what}: many JSON parsers read another number`,
  };
}

function encodingFact(record: RunRecord): Fact | null {
  const [coding] = answersOf(record).flatMap(
    ({ response }) => headerValue(response.headers, 'content-encoding') ?? [],
  );
  if (coding === undefined) return null;
  return { name: 'content coding', text: `answers come as ${coding} although identity was requested` };
}

export function describeTarget(record: RunRecord, targetUrl: string, settings: RunSettings): RunTarget {
  if (settings.mcp !== undefined) return describeMcp(record, settings.mcp);
  const valueAt = (operation: 'health' | 'capabilities'): Json | undefined => {
    const answer = answersOf(record).find(
      (exchange) => operationOf(exchange, targetUrl) === operation && exchange.response.status === 200,
    );
    return answer === undefined ? undefined : jsonBody(answer).value;
  };
  const health = valueAt('health');
  const capabilities = valueAt('capabilities');
  const server = ownProperty(capabilities, 'server');
  const name = ownText(server, 'name');
  const version = ownText(server, 'version') ?? ownText(health, 'version');
  const mcpVersion = ownText(capabilities, 'mcpVersion') ?? ownText(health, 'mcpVersion');
  return {
    url: targetUrl,
    form: { capabilities: restForm(record.forms.capabilities), execute: restForm(record.forms.execute) },
    ...(name === null ? {} : { name }),
    ...(version === null ? {} : { version }),
    ...(mcpVersion === null ? {} : { mcpVersion }),
  };
}

function restForm({ form }: KnownForm): RunTarget['form']['execute'] {
  return form === 'mcp' ? null : form;
}

function describeMcp({ opened }: RunRecord, { address }: McpServer): RunTarget {
  const target = { url: address, form: { capabilities: null, execute: null } };
  if (opened === null) return target;
  const { name, serverVersion, version, channel, era } = opened;
  return {
    ...target,
    ...(name === null ? {} : { name }),
    ...(serverVersion === null ? {} : { version: serverVersion }),
    mcpVersion: version,
    conversation: { channel, era },
  };
}
