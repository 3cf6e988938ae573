import { parseIso8601 } from '../checks/iso8601.ts';
import { jsonBody } from '../checks/json/json-body.ts';
import { type Access, accessOf, OPERATIONS } from '../checks/security/access-told.ts';
import { type Json, ownProperty } from '../json/json.ts';
import { type AnsweredExchange, headerValue, type TransportFailureCode } from '../model/exchange.ts';
import { isForAnItemOf } from '../model/exchange-key.ts';
import { isRateLimited } from '../model/rate-limit.ts';
import {
  type ExploringSettings,
  type Fact,
  MCP_OPERATIONS,
  type McpServer,
  type RunSettings,
  type RunTarget,
} from '../model/report.ts';
import { callIn } from '../model/sent.ts';
import { isExploring, operationOf } from '../run/operation.ts';
import type { KnownForm, RunRecord } from '../run/record.ts';
import { MAX_CALLS_OF_CHANGING } from '../run/restraint.ts';
import { matchesGlob } from '../text/glob.ts';

/** Observations of a run that no requirement covers. */
export function buildFacts(record: RunRecord, targetUrl: string, settings: RunSettings): readonly Fact[] {
  const { maxItems, samples, producers = {}, exploring, mutating } = settings;
  return [
    formFact(record),
    ...boundFacts(record, maxItems),
    ...restrainedTexts(record.restrained).map((text) => ({ name: 'restraint', text })),
    ...learnedFacts(record),
    exploredFact(record),
    ...createdFacts(record),
    ...untimedFacts(record),
    unlistedFact(record, 'samples', Object.keys(samples)),
    unlistedFact(record, 'producers', Object.keys(producers)),
    unlistedFact(record, 'regressions', functionsTriedFirst(exploring)),
    mutatingFact(record, Object.values(mutating.functions).flat()),
    clockFact(record, targetUrl),
    rateLimitFact(record),
    encodingFact(record),
    accessFact(record, targetUrl, settings),
    keepAliveFact(record),
    tlsFact(record),
    ...oddityFacts(record),
    numbersFact(record),
  ].filter((fact) => fact !== null);
}

function functionsTriedFirst({
  first = {},
  firstSequences = [],
}: Partial<ExploringSettings> = {}): readonly string[] {
  return [...Object.keys(first), ...firstSequences.flat().map(({ functionName }) => functionName)];
}

/** Where inputs came from, so that a wrong conclusion is seen; `producers` in the configuration corrects it. */
function learnedFacts({ learned }: RunRecord): readonly Fact[] {
  return learned.map(({ functionName, parameters }) => {
    const sources = parameters.map(({ parameter, from, place, pointer }) => {
      const source = place === 'answer' ? 'the result' : 'the input';
      return `${parameter} from ${source} of ${JSON.stringify(from)} (${pointer})`;
    });
    const accepted =
      sources.length === 0
        ? 'its optional parameters, after it refused a call without them'
        : `values of other calls: ${sources.join(', ')}`;
    return { name: 'learned-input', text: `${JSON.stringify(functionName)} accepted ${accepted}` };
  });
}

/** What the run left behind. */
function createdFacts({ created }: RunRecord): readonly Fact[] {
  return created.map((things) => ({
    name: 'created',
    text: `${things.removed} of ${things.created} things that calls created were deleted with ${JSON.stringify(things.remover)}`,
  }));
}

/** How much the rows about generated inputs rest on. */
function exploredFact({ steps, exchanges }: RunRecord): Fact | null {
  const exploring = steps.flatMap((run) => (run.kind === 'ran' && isExploring(run.step) ? [run] : []));
  if (exploring.length === 0) return null;
  const names = new Set(
    exploring.flatMap(({ instances }) => instances.map(({ functionName }) => functionName)),
  );
  const made = exchanges.filter(({ request }) =>
    exploring.some(({ step }) => isForAnItemOf(request.key, step.id)),
  );
  const endedBy = (code: TransportFailureCode) =>
    made.filter((exchange) => exchange.kind === 'unanswered' && exchange.reason.code === code);
  const late = endedBy('deadline');
  // A saved run that is judged again asks for one more call where the original run ended.
  const calls = made.length - late.length - endedBy('not-recorded').length;
  const ofFunctions = names.size === 1 ? 'one function' : `${names.size} functions`;
  const cut = new Set(late.map(({ request }) => JSON.stringify(callIn(request)?.functionName)));
  const leftOut =
    cut.size === 0 ? '' : `; the time was over before all calls of ${[...cut].join(', ')} were made`;
  return { name: 'explored', text: `${calls} calls of ${ofFunctions} with generated inputs${leftOut}` };
}

/** What is given for a function that is not listed is unused, and the name probably misspelt. */
function unlistedFact(
  record: RunRecord,
  what: 'samples' | 'producers' | 'regressions',
  givenNames: readonly string[],
): Fact | null {
  const functions = record.saved.get('functions');
  if (!Array.isArray(functions)) return null;
  const names = new Set((functions as readonly Json[]).map((entry) => ownProperty(entry, 'name')));
  const unlisted = [...new Set(givenNames)].filter((name) => !names.has(name));
  if (unlisted.length === 0) return null;
  const shown = unlisted.map((name) => JSON.stringify(name)).join(', ');
  return {
    name: what,
    text: `the target lists no function ${shown}, for which ${what === 'regressions' ? 'regressions are kept' : `the configuration has ${what}`}`,
  };
}

/** A name or glob that matches no function has no effect, and is probably misspelt. */
function mutatingFact(record: RunRecord, patterns: readonly string[]): Fact | null {
  const functions = record.saved.get('functions');
  if (!Array.isArray(functions)) return null;
  const names = (functions as readonly Json[]).map((entry) => String(ownProperty(entry, 'name')));
  const unused = patterns.filter((pattern) => !names.some((name) => matchesGlob(pattern, name)));
  if (unused.length === 0) return null;
  const shown = unused.map((pattern) => JSON.stringify(pattern)).join(', ');
  return { name: 'mutating', text: `the target lists no function that matches ${shown} under mutating` };
}

/** One fact for each number, not for each step. */
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

const RESTRAINED_WORDS = {
  once: `at most ${MAX_CALLS_OF_CHANGING} calls of each, none timed, and two at once only of what creates something and is not named in the configuration`,
  never: 'not called',
  untimed: 'not timed, because their answers only repeat their input',
} as const;
const RESTRAINT_REASONS = {
  configured: 'named in the configuration',
  looks: 'may change something, by name, description or annotations',
  seen: 'may change something, as observed',
  unclear: 'nothing shows that it only reads',
} as const;
const MAX_NAMED_FUNCTIONS = 20;

/** Functions that were called less than others, why, and how to allow more. */
export function restrainedTexts(restrained: RunRecord['restrained']): readonly string[] {
  return (['once', 'untimed', 'never'] as const).flatMap((policy) => {
    const own = restrained.filter((one) => one.policy === policy);
    if (own.length === 0) return [];
    const groups = (['looks', 'seen', 'unclear', 'configured'] as const).flatMap((because) => {
      const names = own.filter((one) => one.because === because).map(({ functionName }) => functionName);
      if (names.length === 0) return [];
      const more =
        names.length > MAX_NAMED_FUNCTIONS ? ` and ${names.length - MAX_NAMED_FUNCTIONS} more` : '';
      return [`${names.slice(0, MAX_NAMED_FUNCTIONS).join(', ')}${more} (${RESTRAINT_REASONS[because]})`];
    });
    return [
      `${groups.join(', ')}: ${RESTRAINED_WORDS[policy]}. To allow more: --mutating allow, or mutating in the configuration`,
    ];
  });
}

const UNTIMED_WORDS = {
  refused: 'it refuses the same request a second time',
  'no-time': 'there was no time left',
  'rate-limited': 'the target limits the rate',
} as const;

const MAX_UNTIMED = 20;

/** Answered calls that could not be timed. */
function untimedFacts({ steps }: RunRecord): readonly Fact[] {
  return steps.flatMap((run) => {
    if (run.kind !== 'ran' || run.step.request === null) return [];
    return (['refused', 'no-time', 'rate-limited'] as const).flatMap((because) => {
      const left = run.instances.filter(
        ({ timed }) => timed?.kind === 'not-measured' && timed.because === because,
      );
      if (left.length === 0) return [];
      const names = left.slice(0, MAX_UNTIMED).map(({ functionName, key }) => functionName ?? key);
      const more = left.length > MAX_UNTIMED ? ` and ${left.length - MAX_UNTIMED} more` : '';
      return [{ name: 'not timed', text: `${names.join(', ')}${more}: ${UNTIMED_WORDS[because]}` }];
    });
  });
}

function formFact({ forms }: RunRecord): Fact | null {
  const { capabilities, execute } = forms;
  if (capabilities.form === null || capabilities.form === 'mcp') return null;
  const text =
    capabilities.form === execute.form
      ? `form ${capabilities.form}`
      : `functions are described in form ${capabilities.form}, /execute speaks form ${execute.form}`;
  return { name: 'form', text };
}

function answersOf(record: RunRecord): readonly AnsweredExchange[] {
  return record.exchanges.filter((exchange) => exchange.kind === 'answered');
}

/** The offset of the target's clock, exact to the time that the answer took. */
function clockFact(record: RunRecord, targetUrl: string): Fact | null {
  const health = answersOf(record).find((exchange) => operationOf(exchange, targetUrl) === 'health');
  if (health === undefined) return null;
  const timestamp = ownProperty(jsonBody(health).value, 'timestamp');
  const parsed = typeof timestamp === 'string' ? parseIso8601(timestamp) : undefined;
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
  const nameOf = (operation: string): string =>
    settings.mcp === undefined ? operation : (MCP_OPERATIONS.get(operation) ?? operation);
  return {
    name: 'access',
    text: known.map(({ operation, access }) => `${nameOf(operation)}: ${ACCESS_WORDS[access]}`).join(', '),
  };
}

const ACCESS_WORDS: Readonly<Record<Access, string>> = {
  open: 'open to anyone',
  'needs a key': 'needs a key',
  mixed: 'some requests need a key',
  unknown: 'unknown',
};

function keepAliveFact(record: RunRecord): Fact | null {
  const run = record.steps.find(
    (candidate) =>
      candidate.kind === 'ran' && candidate.step.request !== null && candidate.step.request.keepConnection,
  );
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
  const encoded = answersOf(record).find(
    ({ response }) => headerValue(response.headers, 'content-encoding') !== undefined,
  );
  if (encoded === undefined) return null;
  return {
    name: 'content coding',
    text: `answers come as ${headerValue(encoded.response.headers, 'content-encoding')} although identity was requested`,
  };
}

/** The target's description of itself. */
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
  const text = (value: Json | undefined, name: string): string | undefined => {
    const found = ownProperty(value, name);
    return typeof found === 'string' ? found : undefined;
  };
  const name = text(server, 'name');
  const version = text(server, 'version') ?? text(health, 'version');
  const mcpVersion = text(capabilities, 'mcpVersion') ?? text(health, 'mcpVersion');
  return {
    url: targetUrl,
    form: { capabilities: restForm(record.forms.capabilities), execute: restForm(record.forms.execute) },
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version }),
    ...(mcpVersion === undefined ? {} : { mcpVersion }),
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
