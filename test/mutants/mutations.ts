import type { Mutant, MutantRequest, Mutation, Operation, RawAnswer, TakeOver } from './mutant.ts';

/*
 * Helpers that break a server, which keep the data files short. The records are those of the reference
 * server, so their shapes are known; an edit may return anything that JSON can hold, or undefined to leave a key out.
 */

export interface HealthRecord {
  readonly status: string;
  readonly uptime: number;
  readonly timestamp: string;
  readonly version: string;
  readonly mcpVersion: string;
}

export interface PropertySchema {
  readonly type?: unknown;
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
}

interface BothForms {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}

export interface DescriptorA extends BothForms {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

export interface DescriptorB extends BothForms {
  readonly parameters: ObjectSchema;
  readonly returns: ObjectSchema;
}

export interface Capabilities<Descriptor> {
  readonly mcpVersion?: string;
  readonly server?: { readonly name: string; readonly version: string; readonly description: string };
  readonly functions: readonly Descriptor[];
}

export interface Served {
  readonly requestId?: string;
  readonly output?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly executionTime?: number;
}

export interface Refused {
  readonly requestId?: string;
  readonly error: { readonly code: string; readonly message: string };
}

type Edit<Value> = (value: Value, request: MutantRequest) => unknown;
type Applies = (request: MutantRequest, answer: RawAnswer) => boolean;

const JSON_HEADERS = { 'content-type': 'application/json' } as const;

export function json(status: number, value: unknown): RawAnswer {
  return { status, headers: JSON_HEADERS, body: Buffer.from(JSON.stringify(value)) };
}

function parsed(answer: RawAnswer): unknown {
  return JSON.parse(answer.body.toString('utf8'));
}

function withJson(answer: RawAnswer, value: unknown): RawAnswer {
  return { ...answer, body: Buffer.from(JSON.stringify(value) ?? '') };
}

/** Edits the raw answers to which `applies` matches. */
export function raw(
  applies: Applies,
  edit: (answer: RawAnswer, request: MutantRequest) => RawAnswer | TakeOver,
): Mutant['mutate'] {
  return () => async (request, conform) => {
    const answer = await conform(request);
    return applies(request, answer) ? edit(answer, request) : answer;
  };
}

function edited<Value>(applies: Applies, edit: Edit<Value>): Mutant['mutate'] {
  return raw(applies, (answer, request) => withJson(answer, edit(parsed(answer) as Value, request)));
}

export function on(operation: Operation): Applies {
  return (request) => request.operation === operation;
}

/** Calls that the reference answered with 200. */
export const served: Applies = ({ operation }, { status }) => operation === 'execute' && status === 200;

export function servedCallOf(functionName: string): Applies {
  return (request, answer) => served(request, answer) && request.call.function === functionName;
}

/** Calls that the reference refused with this code. */
function refused(code: string): Applies {
  return ({ operation }, answer) =>
    operation === 'execute' && answer.status >= 400 && (parsed(answer) as Refused).error.code === code;
}

export const unknownFunction = refused('FUNCTION_NOT_FOUND');
export const handlerFailure = refused('EXECUTION_ERROR');
/** A parameter is missing, or of the wrong type. */
export const invalidInput = refused('INVALID_INPUT');
const anyRefusal: Applies = ({ operation }, { status }) => operation === 'execute' && status >= 400;

export function inHealth(edit: Edit<HealthRecord>): Mutant['mutate'] {
  return edited(on('health'), edit);
}

export function inCapabilities(edit: Edit<Capabilities<DescriptorB>>): Mutant['mutate'] {
  return edited(on('capabilities'), edit);
}

/** Edits every descriptor of a form A server; in form B, see inDescriptorsB. */
export function inDescriptorsA(edit: Edit<DescriptorA>): Mutant['mutate'] {
  return edited(on('capabilities'), (record: Capabilities<DescriptorA>, request) => {
    return { ...record, functions: record.functions.map((descriptor) => edit(descriptor, request)) };
  });
}

export function inDescriptorsB(edit: Edit<DescriptorB>): Mutant['mutate'] {
  return edited(on('capabilities'), (record: Capabilities<DescriptorB>, request) => {
    return { ...record, functions: record.functions.map((descriptor) => edit(descriptor, request)) };
  });
}

/** Edits every descriptor of a server of either form. */
export function inDescriptors(edit: Edit<BothForms>): Mutant['mutate'] {
  return inDescriptorsB(edit);
}

/** Edits the descriptor of one function in form A. */
export function inDescriptorA(name: string, edit: Edit<DescriptorA>): Mutant['mutate'] {
  return inDescriptorsA((descriptor, request) =>
    descriptor.name === name ? edit(descriptor, request) : descriptor,
  );
}

export function inDescriptorB(name: string, edit: Edit<DescriptorB>): Mutant['mutate'] {
  return inDescriptorsB((descriptor, request) =>
    descriptor.name === name ? edit(descriptor, request) : descriptor,
  );
}

/** Edits the descriptor of one function in either form. */
export function inDescriptor(name: string, edit: Edit<BothForms>): Mutant['mutate'] {
  return inDescriptorB(name, edit);
}

export function inParameters(name: string, edit: Edit<ObjectSchema>): Mutant['mutate'] {
  return inDescriptorB(name, (descriptor, request) => {
    return { ...descriptor, parameters: edit(descriptor.parameters, request) };
  });
}

export function inReturns(name: string, edit: Edit<ObjectSchema>): Mutant['mutate'] {
  return inDescriptorB(name, (descriptor, request) => {
    return { ...descriptor, returns: edit(descriptor.returns, request) };
  });
}

/** Edits the answers to calls that the reference answered with 200. */
export function inServed(edit: Edit<Served>, applies: Applies = served): Mutant['mutate'] {
  return edited(applies, edit);
}

/** Edits the answers to calls that were refused. */
export function inRefused(edit: Edit<Refused>, applies: Applies = anyRefusal): Mutant['mutate'] {
  return edited(applies, edit);
}

export function withStatus(status: number): (answer: RawAnswer) => RawAnswer {
  return (answer) => ({ ...answer, status });
}

export function withBody(body: string | Uint8Array): (answer: RawAnswer) => RawAnswer {
  return (answer) => ({ ...answer, body: Buffer.from(body) });
}

/** Rewrites the text of the body. */
export function withText(edit: (text: string) => string | Uint8Array): (answer: RawAnswer) => RawAnswer {
  return (answer) => ({ ...answer, body: Buffer.from(edit(answer.body.toString('utf8'))) });
}

export function withContentType(type: string | undefined): (answer: RawAnswer) => RawAnswer {
  return ({ headers: { 'content-type': _, ...others }, ...answer }) => ({
    ...answer,
    headers: type === undefined ? others : { ...others, 'content-type': type },
  });
}

/** Leaves the connection open without an answer. */
export function never(): TakeOver {
  return { takeOver: () => undefined };
}

export function hangUp(): TakeOver {
  return { takeOver: (response) => void response.destroy() };
}

export function notHttp(): TakeOver {
  return { takeOver: ({ socket }) => void socket?.end('220 mail.example.org ready\r\n') };
}

/** Announces a longer body than it sends, and then closes the connection or stays silent. */
export function cutOff(answer: RawAnswer, then: 'hang-up' | 'silence'): TakeOver {
  return {
    takeOver: (response) => {
      response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length + 100 });
      response.write(answer.body, () => {
        if (then === 'hang-up') response.destroy();
      });
    },
  };
}

/** The request with other arguments; a key that is undefined is removed. */
export function withCall(request: MutantRequest, changes: MutantRequest['call']): MutantRequest {
  const call = { ...request.call, ...changes };
  return { ...request, call, body: Buffer.from(JSON.stringify(call)) };
}

/** Answers with `answer` instead of the reference, unless it returns undefined. */
export function instead(
  answer: (request: MutantRequest) => RawAnswer | TakeOver | undefined,
): Mutant['mutate'] {
  return () => async (request, conform) => answer(request) ?? conform(request);
}

/** Applies several mutations, the first one closest to the reference. */
export function together(...parts: readonly Mutant['mutate'][]): Mutant['mutate'] {
  return (server) => {
    const mutations = parts.map((part) => part(server));
    return (request, conform) =>
      mutations.reduce(
        (inner: Mutation, outer): Mutation =>
          (asked, reference) =>
            outer(asked, (passedOn) => inner(passedOn, reference) as Promise<RawAnswer>),
        (asked, reference) => reference(asked),
      )(request, conform);
  };
}
