import { failureMessage, type ReferenceFunction } from './define-function.ts';
import { type Answering, createEndpoints, errorAnswer, jsonAnswer, type WireForm } from './endpoints.ts';
import { referenceFunctions, serverIdentity } from './functions.ts';
import { validateInput } from './validate-input.ts';

export type ReferenceOptions = {
  readonly form: WireForm;
  /** A monotonic clock in milliseconds: uptime must not jump when the time of day is changed. */
  readonly nowMs?: () => number;
  readonly functions?: readonly ReferenceFunction[];
};

/**
 * The MCP server contract (sections 2.4 to 2.6, 4.2 and 7 of the specification) without a web framework.
 * `answer` never rejects: every failure is an answer too.
 */
export type Reference = { readonly answer: Answering };

const mcpVersion = '1.0';
const server = {
  ...serverIdentity,
  description: 'A small MCP server that keeps every rule of the contract.',
} as const;

export const createReference = ({
  form,
  nowMs = () => performance.now(),
  functions: offered = referenceFunctions,
}: ReferenceOptions): Reference => {
  const startedMs = nowMs();
  // A Map, not an object, so that `constructor` and `__proto__` are unknown functions.
  const functions = new Map(offered.map((fn) => [fn.name, fn]));

  return {
    answer: createEndpoints(form, {
      health: () =>
        jsonAnswer(200, {
          status: 'ok',
          uptime: (nowMs() - startedMs) / 1_000,
          timestamp: new Date().toISOString(),
          version: server.version,
          mcpVersion,
        }),

      capabilities: () =>
        jsonAnswer(
          200,
          form === 'A'
            ? { functions: offered.map(describeInFormA) }
            : { mcpVersion, server, functions: offered.map(describeInFormB) },
        ),

      call: async ({ functionName, input, requestId }) => {
        const fn = functions.get(functionName);
        if (fn === undefined) {
          const message = 'The server has no function of this name; GET /capabilities lists those it has.';
          return errorAnswer('FUNCTION_NOT_FOUND', message, requestId);
        }
        const problem = validateInput(fn.parameters, input);
        if (problem !== undefined) return errorAnswer('INVALID_INPUT', problem, requestId);

        const calledMs = nowMs();
        try {
          const result = await fn.run(input);
          const executionTime = Math.floor(nowMs() - calledMs);
          return jsonAnswer(200, form === 'A' ? { output: result } : { requestId, result, executionTime });
        } catch (error) {
          return errorAnswer('EXECUTION_ERROR', failureMessage(error), requestId);
        }
      },
    }),
  };
};

const describeInFormA = ({ name, description, parameters, returns, examples }: ReferenceFunction) => ({
  name,
  description,
  inputs: Object.keys(parameters.properties),
  outputs: Object.keys(returns.properties),
  examples,
});

const describeInFormB = ({ name, description, parameters, returns, examples }: ReferenceFunction) => ({
  name,
  description,
  parameters,
  returns,
  examples: examples.map(({ input, output }) => ({ parameters: input, result: output })),
});
