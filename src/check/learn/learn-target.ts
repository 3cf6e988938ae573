import { descriptorsIn } from '../../checks/capabilities/descriptor.ts';
import { exactBody, jsonBody } from '../../checks/json/json-body.ts';
import { callInputs } from '../../inputs/call-inputs.ts';
import { natureOf } from '../../inputs/function-nature.ts';
import {
  isFiniteWithin,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonText,
  ownProperty,
  shorten,
} from '../../json/json.ts';
import { type AnsweredExchange, isSuccess } from '../../model/exchange.ts';
import type { Probe } from '../../model/probe.ts';
import type { RunSettings } from '../../model/report.ts';
import type { Form } from '../../model/requirement.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import { type HttpExchange, overHttp } from '../../model/sent.ts';
import { capabilitiesForm } from '../../run/calls/forms.ts';
import { checkInputOf } from '../check-input.ts';
import type { CheckOptions } from '../check-options.ts';
import { prepareRun } from '../prepare-run.ts';
import { plainRead } from '../request-headers.ts';
import { type InferredProducers, inferProducers } from './infer-producers.ts';
import { readTools } from './read-tools.ts';

/** A target's description of itself. All texts are unchanged. */
export interface LearnedTarget {
  readonly targetUrl: string;
  readonly form: Form | null;
  readonly name: string | null;
  readonly version: string | null;
  readonly description: string | null;
  readonly mcpVersion: string | null;
  readonly functions: readonly LearnedFunction[];
  /** Where values for their parameters come from, as far as names show it. */
  readonly producers: InferredProducers;
  /** Number of further functions, which are not read. */
  readonly furtherFunctions: number;
}

export interface LearnedFunction {
  readonly name: string;
  readonly sample: LearnedSample;
  /** Its name or description suggests that a call changes something. */
  readonly changesSomething: boolean;
}

export type LearnedSample =
  | { readonly kind: 'example' | 'generated' | 'none-needed'; readonly input: JsonObject }
  /** The generated input is too long to read. */
  | { readonly kind: 'none' };

export type Learning =
  | { readonly kind: 'learned'; readonly target: LearnedTarget }
  | { readonly kind: 'silent'; readonly targetUrl: string; readonly failure: string }
  | {
      readonly kind: 'no-mcp-server';
      readonly targetUrl: string;
      readonly problem: string;
      readonly remedy: string;
    };

const MAX_FUNCTIONS = 50;
const MAX_NAME_CHARACTERS = 200;

/** Sends only GET /health and GET /capabilities. Throws the same errors as a check for wrong options. */
export async function learnTarget(
  url: string,
  options: CheckOptions,
  signal: AbortSignal,
): Promise<Learning> {
  const { targetUrl, settings, probe, schemas } = await prepareRun(checkInputOf(url, options), signal, {
    onUnlikeAnswer: options.onUnlikeAnswer,
  });
  if (settings.mcp !== undefined) return learnTools(settings.mcp.address, probe, settings, schemas);
  const read = (path: string): Promise<HttpExchange> =>
    probe.send(plainRead(targetUrl + path, `init${path}`, settings.requestTimeoutMs)).then(overHttp);
  const [health, capabilities] = await Promise.all([read('/health'), read('/capabilities')]);
  if (capabilities.kind === 'unanswered')
    return { kind: 'silent', targetUrl, failure: capabilities.reason.message };
  const problem = problemOf(capabilities);
  if (problem !== null) return { kind: 'no-mcp-server', targetUrl, ...problem };
  const record = exactBody(capabilities);
  const functions = listedFunctions(record ?? null);
  const server = ownProperty(record, 'server');
  const healthRecord = health.kind === 'answered' ? jsonBody(health).value : undefined;
  return {
    kind: 'learned',
    target: {
      targetUrl,
      form: capabilitiesForm(record, settings.form).form,
      name: shortText(server, 'name'),
      description: shortText(server, 'description'),
      version: shortText(server, 'version') ?? shortText(healthRecord, 'version'),
      mcpVersion: shortText(record, 'mcpVersion') ?? shortText(healthRecord, 'mcpVersion'),
      ...learnFunctions(functions, schemas),
    },
  };
}

type LearnedFunctions = Pick<LearnedTarget, 'functions' | 'producers' | 'furtherFunctions'>;

function learnFunctions(functions: readonly JsonObject[], schemas: SchemaEvaluator): LearnedFunctions {
  const read = functions.slice(0, MAX_FUNCTIONS);
  return {
    functions: read.map((descriptor) => ({
      name: textOf(descriptor, 'name') ?? '',
      sample: sampleOf(descriptor, schemas),
      changesSomething: natureOf(descriptor) === 'changes',
    })),
    producers: inferProducers(read, schemas),
    furtherFunctions: Math.max(0, functions.length - MAX_FUNCTIONS),
  };
}

/** Of a server of the Model Context Protocol: opens a conversation and reads the list of tools. */
async function learnTools(
  address: string,
  probe: Probe,
  settings: RunSettings,
  schemas: SchemaEvaluator,
): Promise<Learning> {
  try {
    const listed = await readTools(probe, settings, 'init');
    if (listed.kind === 'not-open') return { kind: 'silent', targetUrl: address, failure: listed.failure };
    const { name, serverVersion, version } = listed.opened;
    return {
      kind: 'learned',
      target: {
        targetUrl: address,
        form: null,
        name,
        description: null,
        version: serverVersion,
        mcpVersion: version,
        ...learnFunctions(listed.functions.filter(isNameable), schemas),
      },
    };
  } finally {
    await probe.close();
  }
}

function isNameable(tool: JsonObject): boolean {
  const name = textOf(tool, 'name');
  return name !== null && name.length <= MAX_NAME_CHARACTERS;
}

function problemOf(exchange: AnsweredExchange): { readonly problem: string; readonly remedy: string } | null {
  const { status } = exchange.response;
  if (!isSuccess(status)) {
    const needsKey = status === 401 || status === 403;
    return {
      problem: `GET /capabilities was answered with status ${status}`,
      remedy: needsKey
        ? 'Give a key with --bearer-env or --header.'
        : 'Check the base address. An MCP server answers GET /health and GET /capabilities below it.',
    };
  }
  const { value, problem } = jsonBody(exchange);
  if (value === undefined || !isJsonObject(value))
    return {
      problem: `the answer to GET /capabilities is not a JSON object (${problem?.message ?? 'not an object'})`,
      remedy: 'Check the base address.',
    };
  if (!Array.isArray(ownProperty(value, 'functions')))
    return {
      problem: 'the answer to GET /capabilities has no list of functions',
      remedy: 'An MCP server lists its functions under "functions"; `probity check` reports details.',
    };
  return null;
}

/** The functions that a configuration can name, each name once. */
function listedFunctions(record: Json): readonly JsonObject[] {
  const byName = new Map<string, JsonObject>();
  for (const { descriptor } of descriptorsIn(record)) {
    const name = textOf(descriptor, 'name');
    if (name !== null && isNameable(descriptor) && !byName.has(name)) byName.set(name, descriptor);
  }
  return [...byName.values()];
}

function sampleOf(descriptor: JsonObject, schemas: SchemaEvaluator): LearnedSample {
  for (const offered of [descriptor, withoutExamples(descriptor)]) {
    const [made] = callInputs('sample', offered, [], { schemas });
    if (made === undefined || made.input === null || made.source === 'none-valid' || !isReadable(made.input))
      continue;
    const kind =
      made.source === 'assembled' ? 'generated' : made.source === 'example' ? 'example' : 'none-needed';
    return { kind, input: made.input };
  }
  return { kind: 'none' };
}

function withoutExamples(descriptor: JsonObject): JsonObject {
  const { examples: _several, example: _one, ...rest } = descriptor;
  const { parameters } = rest;
  if (!isJsonObject(parameters)) return rest;
  const { examples: _inSchema, ...schema } = parameters;
  return { ...rest, parameters: schema };
}

const MAX_SAMPLE_CHARACTERS = 1500;
const MAX_SAMPLE_LEVELS = 8;

/** Small enough to read, and representable in a configuration. */
function isReadable(input: JsonObject): boolean {
  return isFiniteWithin(input, MAX_SAMPLE_LEVELS) && jsonText(input).length <= MAX_SAMPLE_CHARACTERS;
}

const MAX_TEXT_CHARACTERS = 1000;

function shortText(value: Json | undefined, name: string): string | null {
  const text = textOf(value, name);
  return text === null ? null : shorten(text, MAX_TEXT_CHARACTERS);
}

function textOf(value: Json | undefined, name: string): string | null {
  const text = ownProperty(value, name);
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}
