import { createHash } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Arbitrary, array, boolean, sample, tuple } from 'fast-check';
import { canonicalJson, type Json } from '../../../src/json/json.ts';
import {
  type Members,
  type NaturalFunction,
  type OnCall,
  Refused,
  type RunningServer,
} from '../natural-server.ts';
import { careful, type Service, serveNatural } from '../serve-natural.ts';
import type { Made } from './made.ts';
import { documentSchema } from './random-schemas.ts';

const MAX_FUNCTIONS = 4;

/** A server with random schemas that keeps all of them: another validator than the product's decides what it accepts. */
export interface RandomServer {
  readonly name: string;
  readonly functions: readonly NaturalFunction[];
  readonly start: (onCall: OnCall) => Promise<RunningServer>;
}

interface RandomFunction {
  readonly parameters: Members;
  readonly returns: Members;
  readonly accepts: ValidateFunction;
  readonly inputs: readonly Members[];
  readonly results: readonly Members[];
  readonly hasExample: boolean;
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true, logger: false });

/** The function, without values that the validator refuses; null if it refuses all. */
function functionOf([parameters, returns, hasExample]: [Made, Made, boolean]): RandomFunction | null {
  const accepts = ajv.compile(parameters.schema);
  const mayReturn = ajv.compile(returns.schema);
  const inputs = parameters.values.filter((value) => accepts(value)) as readonly Members[];
  const results = returns.values.filter((value) => mayReturn(value)) as readonly Members[];
  return inputs.length === 0 || results.length === 0
    ? null
    : { parameters: parameters.schema, returns: returns.schema, accepts, inputs, results, hasExample };
}

function randomFunction(): Arbitrary<RandomFunction> {
  return tuple(documentSchema(0), documentSchema(1), boolean())
    .map(functionOf)
    .filter((made) => made !== null);
}

/** The same seed makes the same servers. */
export function randomServers(count: number, seed: number): readonly RandomServer[] {
  const some = array(randomFunction(), { minLength: 1, maxLength: MAX_FUNCTIONS, size: 'max' });
  return sample(some, { numRuns: count, seed }).map((functions, index) =>
    serverOf(`random-${index + 1}`, functions),
  );
}

function serverOf(name: string, made: readonly RandomFunction[]): RandomServer {
  const named = made.map((one, index) => ({ ...one, name: `getThing${index + 1}` }));
  const functions = named.map((one): NaturalFunction => {
    const { inputs, results, hasExample, parameters, returns } = one;
    return {
      name: one.name,
      description: 'Returns what is known about the thing.',
      parameters,
      returns,
      ...(hasExample ? { examples: inputs.slice(0, 2) } : {}),
      run: (input: Members) => results[hashOf(input) % results.length] as Members,
    };
  });
  const validators = new Map(named.map((one) => [one.name, one.accepts]));
  const service: Service = { name, version: '1.0.0', description: 'Knows things.', functions };
  const refuseInvalid = (fn: NaturalFunction, input: Members): void => {
    const accepts = validators.get(fn.name);
    if (accepts?.(input) !== true)
      throw new Refused('INVALID_INPUT', ajv.errorsText(accepts?.errors, { dataVar: 'input' }));
  };
  return {
    name,
    functions,
    start: (onCall) => serveNatural(service, 'B', onCall, { ...careful, refuseInvalid }),
  };
}

function hashOf(input: Members): number {
  return createHash('sha256')
    .update(canonicalJson(input as Json))
    .digest()
    .readUInt32BE();
}
