import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createReference } from '../../src/reference/contract.ts';
import type { WireForm } from '../../src/reference/endpoints.ts';
import { referenceFunctions } from '../../src/reference/functions.ts';
import { type Answering, jsonAnswer, type Members } from './serve.ts';

/** A function of a test target. */
export interface OfferedFunction {
  readonly name: string;
  /** The members of the descriptor besides name and description. */
  readonly descriptor: Members;
  readonly description?: string;
  /** Returns what goes under `output` or `result`; throws a `Refusal` to answer with an error. */
  readonly run: (input: Members) => Members;
}

/** An error answer with any status and body. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown = { error: { code: 'INVALID_INPUT', message: 'Not that.' } }) {
    super('refused');
    this.status = status;
    this.body = body;
  }
}

/** The reference contract with other functions instead of its own. */
export function offering(
  form: WireForm,
  functions: readonly OfferedFunction[],
  topLevel: Members = {},
): Answering {
  const reference = createReference({ form });
  const taken = functions.find(({ name }) => referenceFunctions.some((fn) => fn.name === name));
  if (taken !== undefined)
    throw new Error(`The reference server already has "${taken.name}": use another name.`);
  const byName = new Map(functions.map((fn) => [fn.name, fn]));
  const descriptors = functions.map(
    ({ name, description = `Does what "${name}" says, and no more.`, descriptor }) => ({
      name,
      description,
      ...descriptor,
    }),
  );
  return async (request) => {
    const answer = await reference.answer(request);
    if (answer.status === 200 && request.path === '/capabilities') {
      const own = JSON.parse(answer.body) as Members;
      return jsonAnswer(200, { ...own, functions: descriptors, ...topLevel });
    }
    // The reference has validated the request, except the function name and its input.
    if (!answer.body.includes('FUNCTION_NOT_FOUND')) return answer;
    const call = JSON.parse(Buffer.from(request.body).toString()) as Members;
    const fn = byName.get(String(call.function));
    if (fn === undefined) return answer;
    const { requestId } = call;
    const input = (call[form === 'A' ? 'input' : 'parameters'] ?? {}) as Members;
    try {
      if (form === 'B') refuseInvalid(fn.descriptor.parameters as Members, input);
      const payload = fn.run(input);
      return jsonAnswer(
        200,
        form === 'A' ? { output: payload } : { requestId, result: payload, executionTime: 0 },
      );
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, body } = error;
      return jsonAnswer(status, form === 'A' ? body : { ...(body as Members), requestId });
    }
  };
}

const OPTIONS = { strict: false, validateFormats: false, logger: false, ownProperties: true } as const;
// Shared, because creating one takes longer than many calls.
const draft7 = new Ajv(OPTIONS);
const draft2020 = new Ajv2020(OPTIONS);
const validators = new WeakMap<Members, ValidateFunction>();

function refuseInvalid(parameters: Members, input: Members): void {
  const validate = validators.get(parameters) ?? validatorOf(parameters);
  validators.set(parameters, validate);
  if (!validate(input))
    throw new Refusal(400, { error: { code: 'INVALID_INPUT', message: 'Not as described.' } });
}

function validatorOf({ $schema = '', ...schema }: Members): ValidateFunction {
  const isDraft7 = String($schema).includes('draft-07') || /"items":\[/.test(JSON.stringify(schema));
  // Copies of one schema may have the same `$id`.
  const ajv = (isDraft7 ? draft7 : draft2020).removeSchema();
  return ajv.compile(schema);
}

/** A descriptor of either form from names: form B types them all as strings. */
export function described(
  form: WireForm,
  inputs: readonly string[],
  outputs: readonly string[],
  examples?: readonly Members[],
): Members {
  const given = examples === undefined ? {} : { examples };
  if (form === 'A') return { inputs, outputs, ...given };
  const properties = (names: readonly string[]): Members =>
    Object.fromEntries(names.map((name) => [name, { type: 'string', description: `Text of ${name}.` }]));
  return {
    parameters: { type: 'object', properties: properties(inputs), required: inputs },
    returns: { type: 'object', properties: properties(outputs) },
    ...given,
  };
}

/** A function that repeats its input. */
export function echoing(form: WireForm, name: string): OfferedFunction {
  return {
    name,
    descriptor: described(form, ['text'], ['said'], [{ input: { text: 'a word' } }]),
    run: ({ text }) => ({ said: String(text) }),
  };
}
