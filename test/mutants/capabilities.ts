import { brokenBodies, wrongContentTypes } from './broken-answers.ts';
import type { Mutant } from './mutant.ts';
import {
  cutOff,
  type DescriptorA,
  type DescriptorB,
  hangUp,
  inCapabilities,
  inDescriptor,
  inDescriptorA,
  inDescriptorB,
  inDescriptors,
  inDescriptorsA,
  inDescriptorsB,
  inHealth,
  inParameters,
  inReturns,
  inServed,
  instead,
  never,
  type ObjectSchema,
  on,
  raw,
  together,
  withStatus,
} from './mutations.ts';
import { answerInForm } from './other-form.ts';

/** Changes the schema of a required parameter of `add`. */
function parameterA(change: (schema: ObjectSchema['properties'][string]) => unknown): Mutant['mutate'] {
  return inParameters('add', (parameters) => {
    const { a = {}, ...others } = parameters.properties;
    return { ...parameters, properties: { a: change(a), ...others } };
  });
}

/** Changes the schema of the key that `add` returns. */
function returnedSum(change: (schema: ObjectSchema['properties'][string]) => unknown): Mutant['mutate'] {
  return inReturns('add', ({ type, properties: { sum = {} } }) => {
    return { type, properties: { sum: change(sum) } };
  });
}

function server(change: (server: Readonly<Record<string, unknown>>) => unknown): Mutant['mutate'] {
  return inCapabilities((record) => ({ ...record, server: change({ ...record.server }) }));
}

function inFormA({ name, description, parameters, returns, examples }: DescriptorB): DescriptorA {
  const inputs = Object.keys(parameters.properties);
  return { name, description, inputs, outputs: Object.keys(returns.properties), examples };
}

function inFormB({ name, description, inputs, outputs, examples }: DescriptorA): DescriptorB {
  const parameters = numbersCalled(inputs, 'A number that goes in.');
  return { name, description, parameters, returns: numbersCalled(outputs, 'What comes out.'), examples };
}

function numbersCalled(keys: readonly string[], description: string): ObjectSchema {
  const property = { type: 'number', description };
  return { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, property])) };
}

const UNTYPED_PARAMETER = {
  'documentation/parameter-types': 'a parameter without a type has no type definition',
} as const;
const UNTYPED_RETURN = {
  'documentation/return-types': 'a return key without a type is not documented with one',
} as const;
const NO_RETURN_KEYS = {
  'documentation/return-types': 'no return keys are given in outputs or returns',
} as const;
const NOT_A_SCHEMA = {
  'capabilities/schema-valid': 'it is not valid JSON Schema',
} as const;

export const capabilitiesMutants: readonly Mutant[] = [
  {
    row: 'capabilities/reachable',
    form: 'both',
    name: '/capabilities never answers',
    mutate: instead(({ operation }) => (operation === 'capabilities' ? never() : undefined)),
  },
  {
    row: 'capabilities/reachable',
    form: 'A',
    name: '/capabilities closes the connection',
    mutate: instead(({ operation }) => (operation === 'capabilities' ? hangUp() : undefined)),
  },
  {
    row: 'capabilities/reachable',
    form: 'B',
    name: '/capabilities answers once and never again',
    mutate: instead(({ operation, count }) =>
      operation === 'capabilities' && count > 1 ? never() : undefined,
    ),
  },
  {
    row: 'capabilities/reachable',
    form: 'B',
    name: 'the body of /capabilities is shorter than its Content-Length',
    mutate: raw(on('capabilities'), (answer) => cutOff(answer, 'hang-up')),
  },

  ...[201, 204, 301, 404, 405, 500].map((status, index): Mutant => {
    return {
      row: 'capabilities/status-200',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `/capabilities answers with status ${status}`,
      mutate: raw(on('capabilities'), withStatus(status)),
    };
  }),
  {
    row: 'capabilities/status-200',
    form: 'A',
    name: '/capabilities answers with status 200 once and 503 from then on',
    mutate: raw(on('capabilities'), (answer, { count }) => ({ ...answer, status: count > 1 ? 503 : 200 })),
  },

  ...wrongContentTypes('capabilities/content-type', on('capabilities')),
  ...brokenBodies('capabilities/json-object', on('capabilities')),

  {
    row: 'capabilities/functions-array',
    form: 'both',
    name: 'functions is a map of descriptors by name',
    mutate: inCapabilities((record) => {
      const entries = record.functions.map((descriptor) => [descriptor.name, descriptor]);
      return { ...record, functions: Object.fromEntries(entries) };
    }),
  },
  {
    row: 'capabilities/functions-array',
    form: 'both',
    name: 'the list is called tools',
    mutate: inCapabilities(({ functions, ...record }) => ({ ...record, tools: functions })),
  },
  {
    row: 'capabilities/functions-array',
    form: 'A',
    name: 'functions is null',
    mutate: inCapabilities((record) => ({ ...record, functions: null })),
  },
  {
    row: 'capabilities/functions-array',
    form: 'B',
    name: 'functions is a string',
    mutate: inCapabilities((record) => ({ ...record, functions: 'add, divide' })),
  },

  {
    row: 'capabilities/functions-not-empty',
    form: 'both',
    name: 'functions is empty',
    mutate: inCapabilities((record) => ({ ...record, functions: [] })),
  },

  {
    row: 'capabilities/function-name',
    form: 'both',
    name: 'a function has no name',
    mutate: inDescriptor('greet', (descriptor) => ({ ...descriptor, name: undefined })),
  },
  {
    row: 'capabilities/function-name',
    form: 'both',
    name: 'no function has a name',
    mutate: inDescriptors((descriptor) => ({ ...descriptor, name: undefined })),
  },
  {
    row: 'capabilities/function-name',
    form: 'A',
    name: 'a name is empty',
    mutate: inDescriptor('greet', (descriptor) => ({ ...descriptor, name: '' })),
  },
  {
    row: 'capabilities/function-name',
    form: 'B',
    name: 'a name is a number',
    mutate: inDescriptor('greet', (descriptor) => ({ ...descriptor, name: 7 })),
  },
  {
    row: 'capabilities/function-name',
    form: 'A',
    name: 'a name is a list',
    mutate: inDescriptor('greet', (descriptor) => ({ ...descriptor, name: ['greet'] })),
  },
  {
    row: 'capabilities/function-name',
    form: 'B',
    name: 'a name is an object',
    mutate: inDescriptor('greet', (descriptor) => ({ ...descriptor, name: { en: 'greet', fr: 'saluer' } })),
  },
  {
    row: 'capabilities/function-name',
    form: 'both',
    name: 'a descriptor is only the name',
    mutate: inDescriptor('greet', () => 'greet'),
    alsoFails: {
      'capabilities/function-description': 'a string has no description',
      'capabilities/descriptor-form': 'a string has no keys of either form',
      'documentation/return-types': 'a string does not say what the function returns',
      'documentation/examples': 'a string has no examples',
    },
  },

  {
    row: 'capabilities/function-names-unique',
    form: 'both',
    name: 'a function is listed twice',
    mutate: inCapabilities((record) => ({
      ...record,
      functions: record.functions.flatMap((descriptor) =>
        descriptor.name === 'greet' ? [descriptor, descriptor] : [descriptor],
      ),
    })),
  },
  {
    row: 'capabilities/function-names-unique',
    form: 'B',
    name: 'two functions share a name',
    mutate: inCapabilities((record) => ({
      ...record,
      functions: record.functions.flatMap((descriptor) =>
        descriptor.name === 'greet'
          ? [descriptor, { ...descriptor, description: 'Greets someone formally.' }]
          : [descriptor],
      ),
    })),
  },

  {
    row: 'capabilities/function-description',
    form: 'both',
    name: 'a description is missing',
    mutate: inDescriptor('greet', (descriptor) => ({ ...descriptor, description: undefined })),
  },
  {
    row: 'capabilities/function-description',
    form: 'both',
    name: 'every description is missing',
    mutate: inDescriptors((descriptor) => ({ ...descriptor, description: undefined })),
  },
  {
    row: 'capabilities/function-description',
    form: 'A',
    name: 'a description is null',
    mutate: inDescriptor('greet', (descriptor) => ({ ...descriptor, description: null })),
  },
  {
    row: 'capabilities/function-description',
    form: 'B',
    name: 'a description is a list of lines',
    mutate: inDescriptor('greet', (descriptor) => ({ ...descriptor, description: [descriptor.description] })),
  },

  {
    row: 'capabilities/descriptor-form',
    form: 'A',
    name: 'a descriptor calls its keys args and results',
    mutate: inDescriptorA('greet', ({ inputs, outputs, ...descriptor }) => {
      return { ...descriptor, args: inputs, results: outputs };
    }),
    alsoFails: NO_RETURN_KEYS,
  },
  {
    row: 'capabilities/descriptor-form',
    form: 'B',
    name: 'a descriptor calls its schemas inputSchema and outputSchema',
    mutate: inDescriptorB('greet', ({ parameters, returns, ...descriptor }) => {
      return { ...descriptor, inputSchema: parameters, outputSchema: returns };
    }),
    alsoFails: NO_RETURN_KEYS,
  },
  {
    row: 'capabilities/descriptor-form',
    form: 'A',
    name: 'every descriptor has nothing but name and description',
    mutate: inDescriptorsA(({ name, description, examples }) => ({ name, description, examples })),
    alsoFails: NO_RETURN_KEYS,
  },
  {
    row: 'capabilities/descriptor-form',
    form: 'B',
    name: 'every descriptor has nothing but name and description',
    mutate: inDescriptorsB(({ name, description, examples }) => ({ name, description, examples })),
    alsoFails: NO_RETURN_KEYS,
  },
  {
    row: 'capabilities/descriptor-form',
    form: 'A',
    name: 'a descriptor is half of form A and half of form B: inputs and returns',
    mutate: inDescriptorA('greet', ({ outputs: _, ...descriptor }) => ({ ...descriptor, returns: {} })),
    alsoFails: NO_RETURN_KEYS,
  },
  {
    row: 'capabilities/descriptor-form',
    form: 'B',
    name: 'every descriptor is half of form A and half of form B: parameters and outputs',
    mutate: inDescriptorsB(({ returns, ...descriptor }) => {
      return { ...descriptor, outputs: Object.keys(returns.properties) };
    }),
    alsoFails: NO_RETURN_KEYS,
  },
  {
    row: 'capabilities/descriptor-form',
    form: 'A',
    name: 'every descriptor is half of form A and half of form B: inputs and returns',
    mutate: inDescriptorsA(({ outputs: _, ...descriptor }) => ({ ...descriptor, returns: {} })),
    alsoFails: NO_RETURN_KEYS,
  },

  {
    row: 'capabilities/form-uniform',
    form: 'A',
    name: 'one descriptor is of form B',
    mutate: inDescriptorA('add', inFormB),
  },
  {
    row: 'capabilities/form-uniform',
    form: 'B',
    name: 'one descriptor is of form A',
    mutate: inDescriptorB('greet', inFormA),
  },
  {
    row: 'capabilities/form-uniform',
    form: 'B',
    name: 'half of the descriptors are of form A',
    mutate: inCapabilities((record) => ({
      ...record,
      functions: record.functions.map((descriptor, index) =>
        index % 2 === 0 ? descriptor : inFormA(descriptor),
      ),
    })),
  },
  {
    row: 'capabilities/form-uniform',
    form: 'A',
    name: 'the descriptors are of form A, and /execute uses form B',
    mutate: answerInForm('B', 'execute'),
  },
  {
    row: 'capabilities/form-uniform',
    form: 'B',
    name: 'the descriptors are of form B, and /execute uses form A',
    mutate: answerInForm('A', 'execute'),
  },

  {
    row: 'capabilities/inputs-array',
    form: 'A',
    name: 'inputs is a map of key to type',
    mutate: inDescriptorA('add', (descriptor) => ({ ...descriptor, inputs: { a: 'number', b: 'number' } })),
  },
  {
    row: 'capabilities/inputs-array',
    form: 'A',
    name: 'inputs is a string',
    mutate: inDescriptorA('add', (descriptor) => ({ ...descriptor, inputs: 'a, b' })),
  },
  {
    row: 'capabilities/inputs-array',
    form: 'A',
    name: 'inputs holds objects',
    mutate: inDescriptorA('add', (descriptor) => {
      return { ...descriptor, inputs: descriptor.inputs.map((name) => ({ name, type: 'number' })) };
    }),
  },
  {
    row: 'capabilities/inputs-array',
    form: 'A',
    name: 'inputs is missing',
    mutate: inDescriptorA('add', (descriptor) => ({ ...descriptor, inputs: undefined })),
  },
  {
    row: 'capabilities/inputs-array',
    form: 'A',
    name: 'inputs is null instead of empty',
    mutate: inDescriptorA('current-time', (descriptor) => ({ ...descriptor, inputs: null })),
  },

  {
    row: 'capabilities/outputs-array',
    form: 'A',
    name: 'outputs is a string',
    mutate: inDescriptorA('add', (descriptor) => ({ ...descriptor, outputs: 'sum' })),
    alsoFails: NO_RETURN_KEYS,
  },
  {
    row: 'capabilities/outputs-array',
    form: 'A',
    name: 'outputs is a map of key to type',
    mutate: inDescriptorA('add', (descriptor) => ({ ...descriptor, outputs: { sum: 'number' } })),
    alsoFails: NO_RETURN_KEYS,
  },
  {
    row: 'capabilities/outputs-array',
    form: 'A',
    name: 'outputs is missing',
    mutate: inDescriptorA('add', (descriptor) => ({ ...descriptor, outputs: undefined })),
    alsoFails: NO_RETURN_KEYS,
  },
  {
    row: 'capabilities/outputs-array',
    form: 'A',
    name: 'outputs holds objects',
    mutate: inDescriptorA('add', (descriptor) => {
      return { ...descriptor, outputs: descriptor.outputs.map((name) => ({ name, type: 'number' })) };
    }),
  },

  {
    row: 'capabilities/keys-unique',
    form: 'A',
    name: 'a key is listed twice in inputs',
    mutate: inDescriptorA('add', (descriptor) => ({ ...descriptor, inputs: ['a', 'b', 'a'] })),
  },
  {
    row: 'capabilities/keys-unique',
    form: 'A',
    name: 'a key is listed twice in outputs',
    mutate: inDescriptorA('add', (descriptor) => ({ ...descriptor, outputs: ['sum', 'sum'] })),
  },

  {
    row: 'capabilities/parameters-schema',
    form: 'B',
    name: 'parameters is missing',
    mutate: inDescriptorB('add', (descriptor) => ({ ...descriptor, parameters: undefined })),
  },
  {
    row: 'capabilities/parameters-schema',
    form: 'B',
    name: 'parameters is null',
    mutate: inDescriptorB('current-time', (descriptor) => ({ ...descriptor, parameters: null })),
    alsoFails: NOT_A_SCHEMA,
  },
  {
    row: 'capabilities/parameters-schema',
    form: 'B',
    name: 'parameters is a list of names',
    mutate: inParameters('add', () => ['a', 'b']),
    alsoFails: NOT_A_SCHEMA,
  },
  {
    row: 'capabilities/parameters-schema',
    form: 'B',
    name: 'parameters is only the map of properties',
    mutate: inParameters('add', ({ properties }) => properties),
  },
  {
    row: 'capabilities/parameters-schema',
    form: 'B',
    name: 'parameters has no type',
    mutate: inParameters('add', (parameters) => ({ ...parameters, type: undefined })),
  },
  {
    row: 'capabilities/parameters-schema',
    form: 'B',
    name: 'parameters is of type array',
    mutate: inParameters('add', (parameters) => ({ ...parameters, type: 'array' })),
  },
  {
    row: 'capabilities/parameters-schema',
    form: 'B',
    name: 'parameters has no properties member',
    mutate: inParameters('current-time', () => ({ type: 'object' })),
  },
  {
    row: 'capabilities/parameters-schema',
    form: 'B',
    name: 'properties is a list',
    mutate: inParameters('greet', ({ type }) => ({ type, properties: [{ name: 'name', type: 'string' }] })),
    alsoFails: NOT_A_SCHEMA,
  },
  {
    row: 'capabilities/parameters-schema',
    form: 'B',
    name: 'a property is the name of its type',
    mutate: parameterA(() => 'number'),
    alsoFails: {
      ...NOT_A_SCHEMA,
      ...UNTYPED_PARAMETER,
      'capabilities/parameters-typed': 'a string has no type',
      'documentation/parameter-descriptions': 'a string has no description',
    },
  },
  {
    row: 'capabilities/parameters-schema',
    form: 'B',
    name: 'required is true',
    mutate: inParameters('add', (parameters) => ({ ...parameters, required: true })),
    alsoFails: NOT_A_SCHEMA,
  },
  {
    row: 'capabilities/parameters-schema',
    form: 'B',
    name: 'parameters is a reference to a definition beside it',
    mutate: inParameters('add', (parameters) => ({ $ref: '#/$defs/add', $defs: { add: parameters } })),
  },

  {
    row: 'capabilities/parameters-typed',
    form: 'B',
    name: 'a parameter has no type',
    mutate: parameterA(({ description }) => ({ description })),
    alsoFails: UNTYPED_PARAMETER,
  },
  {
    row: 'capabilities/parameters-typed',
    form: 'B',
    name: 'the type of a parameter is "float"',
    mutate: parameterA((schema) => ({ ...schema, type: 'float' })),
    alsoFails: { ...UNTYPED_PARAMETER, ...NOT_A_SCHEMA },
  },
  {
    row: 'capabilities/parameters-typed',
    form: 'B',
    name: 'the type of a parameter is an empty list',
    mutate: parameterA((schema) => ({ ...schema, type: [] })),
    alsoFails: { ...UNTYPED_PARAMETER, ...NOT_A_SCHEMA },
  },
  {
    row: 'capabilities/parameters-typed',
    form: 'B',
    name: 'a parameter has an enum and no type',
    mutate: parameterA(({ description }) => ({ description, enum: [1, 2, 3] })),
  },

  {
    row: 'capabilities/required-declared',
    form: 'B',
    name: 'a required name is not in properties',
    mutate: inParameters('add', (parameters) => ({ ...parameters, required: ['a', 'b', 'precision'] })),
  },
  {
    row: 'capabilities/required-declared',
    form: 'B',
    name: 'the first required name is not in properties',
    mutate: inParameters('add', (parameters) => ({ ...parameters, required: ['precision', 'a', 'b'] })),
  },
  {
    row: 'capabilities/required-declared',
    form: 'B',
    name: 'a property was renamed, and required was not',
    mutate: inParameters('divide', ({ properties: { dividend = {}, ...others }, ...parameters }) => {
      return { ...parameters, properties: { numerator: dividend, ...others } };
    }),
  },
  {
    row: 'capabilities/required-declared',
    form: 'B',
    name: 'a required name is that of an inherited object member',
    mutate: inParameters('add', (parameters) => ({ ...parameters, required: ['a', 'b', 'toString'] })),
  },

  {
    row: 'capabilities/returns-schema',
    form: 'B',
    name: 'returns is missing',
    mutate: inDescriptorB('add', (descriptor) => ({ ...descriptor, returns: undefined })),
    alsoFails: NO_RETURN_KEYS,
  },
  {
    row: 'capabilities/returns-schema',
    form: 'B',
    name: 'returns is the name of a type',
    mutate: inReturns('add', () => 'number'),
    alsoFails: { ...NO_RETURN_KEYS, ...NOT_A_SCHEMA },
  },
  {
    row: 'capabilities/returns-schema',
    form: 'B',
    name: 'returns has no type',
    mutate: inReturns('add', ({ properties }) => ({ properties })),
  },
  {
    row: 'capabilities/returns-schema',
    form: 'B',
    name: 'returns has no properties',
    mutate: inReturns('add', ({ type }) => ({ type })),
    alsoFails: NO_RETURN_KEYS,
  },
  {
    row: 'capabilities/returns-schema',
    form: 'B',
    name: 'a return key has no type',
    mutate: returnedSum(({ description }) => ({ description })),
    alsoFails: UNTYPED_RETURN,
  },
  {
    row: 'capabilities/returns-schema',
    form: 'B',
    name: 'the type of a return key is "float"',
    mutate: returnedSum((schema) => ({ ...schema, type: 'float' })),
    alsoFails: { ...UNTYPED_RETURN, ...NOT_A_SCHEMA },
  },
  {
    row: 'capabilities/returns-schema',
    form: 'B',
    name: 'returns is a scalar, and so is the result',
    mutate: together(
      inReturns('add', () => ({ type: 'number' })),
      inServed((answer, { call }) =>
        call.function === 'add' ? { ...answer, result: answer.result?.sum } : answer,
      ),
    ),
    alsoFails: { ...NO_RETURN_KEYS, 'execute/result-object': 'a scalar is not an object' },
  },

  {
    row: 'capabilities/schema-valid',
    form: 'B',
    name: 'a bound is a string',
    mutate: parameterA((schema) => ({ ...schema, minimum: '1' })),
  },
  {
    row: 'capabilities/schema-valid',
    form: 'B',
    name: 'a property has required: true',
    mutate: parameterA((schema) => ({ ...schema, required: true })),
  },
  {
    row: 'capabilities/schema-valid',
    form: 'B',
    name: 'the items of a list are of a misspelt type',
    mutate: returnedSum((schema) => ({ ...schema, items: { type: 'strnig' } })),
  },
  {
    row: 'capabilities/schema-valid',
    form: 'B',
    name: 'a pattern is not a regular expression',
    mutate: parameterA((schema) => ({ ...schema, pattern: '([a-z' })),
  },
  {
    row: 'capabilities/schema-valid',
    form: 'B',
    name: 'a $ref does not resolve',
    mutate: parameterA((schema) => ({ ...schema, allOf: [{ $ref: '#/$defs/number' }] })),
  },
  {
    row: 'capabilities/schema-valid',
    form: 'B',
    name: 'required names a parameter twice',
    mutate: inParameters('add', (parameters) => ({ ...parameters, required: ['a', 'b', 'a'] })),
  },
  {
    row: 'capabilities/schema-valid',
    form: 'B',
    name: 'the description of a return key is a list',
    mutate: returnedSum((schema) => ({ ...schema, description: [schema.description] })),
  },

  {
    row: 'capabilities/mcp-version-string',
    form: 'B',
    name: 'mcpVersion is missing',
    mutate: inCapabilities((record) => ({ ...record, mcpVersion: undefined })),
  },
  {
    row: 'capabilities/mcp-version-string',
    form: 'B',
    name: 'mcpVersion is a number',
    mutate: inCapabilities((record) => ({ ...record, mcpVersion: 1 })),
  },
  {
    row: 'capabilities/mcp-version-string',
    form: 'B',
    name: 'mcpVersion is null',
    mutate: inCapabilities((record) => ({ ...record, mcpVersion: null })),
  },
  {
    row: 'capabilities/mcp-version-string',
    form: 'B',
    name: 'mcpVersion is inside server',
    mutate: inCapabilities(({ mcpVersion, ...record }) => {
      return { ...record, server: { ...record.server, mcpVersion } };
    }),
  },

  ...['0.9', 'stable', ''].map((mcpVersion): Mutant => {
    return {
      row: 'capabilities/mcp-version-supported',
      form: 'B',
      name: `mcpVersion is ${JSON.stringify(mcpVersion)}`,
      mutate: inCapabilities((record) => ({ ...record, mcpVersion })),
      alsoFails: { 'capabilities/versions-agree': 'health still says 1.0' },
    };
  }),
  {
    row: 'capabilities/mcp-version-supported',
    form: 'B',
    name: 'mcpVersion is 0.9, and health has none',
    mutate: together(
      inCapabilities((record) => ({ ...record, mcpVersion: '0.9' })),
      inHealth((record) => ({ ...record, mcpVersion: undefined })),
    ),
  },

  {
    row: 'capabilities/server-info',
    form: 'B',
    name: 'server is missing',
    mutate: inCapabilities((record) => ({ ...record, server: undefined })),
  },
  {
    row: 'capabilities/server-info',
    form: 'B',
    name: 'server is its name',
    mutate: server(({ name }) => name),
  },
  ...['name', 'version', 'description'].flatMap((key): readonly Mutant[] => [
    {
      row: 'capabilities/server-info',
      form: 'B',
      name: `server has no ${key}`,
      mutate: server((info) => ({ ...info, [key]: undefined })),
    },
    {
      row: 'capabilities/server-info',
      form: 'B',
      name: `server.${key} is a number`,
      mutate: server((info) => ({ ...info, [key]: 1 })),
    },
  ]),

  {
    row: 'capabilities/stable',
    form: 'both',
    name: 'a function is missing from the second read',
    mutate: inCapabilities((record, { count }) => {
      return { ...record, functions: count === 1 ? record.functions : record.functions.slice(0, -1) };
    }),
  },
  {
    row: 'capabilities/stable',
    form: 'both',
    name: 'a function appears at the second read',
    mutate: inCapabilities((record, { count }) => {
      return { ...record, functions: count === 1 ? record.functions.slice(0, -1) : record.functions };
    }),
  },
  {
    row: 'capabilities/stable',
    form: 'A',
    name: 'a description counts the reads',
    mutate: inDescriptor('greet', (descriptor, { count }) => {
      return { ...descriptor, description: `${descriptor.description} Read ${count} times.` };
    }),
  },
  {
    row: 'capabilities/stable',
    form: 'B',
    name: 'a parameter comes and goes',
    mutate: inParameters('greet', (parameters, { count }) => {
      const { name = {}, language = {} } = parameters.properties;
      return { ...parameters, properties: count % 2 === 0 ? { name } : { name, language } };
    }),
  },
  {
    row: 'capabilities/stable',
    form: 'B',
    name: 'the list is empty at the second read',
    mutate: inCapabilities((record, { count }) => ({
      ...record,
      functions: count === 1 ? record.functions : [],
    })),
    alsoFails: { 'capabilities/functions-not-empty': 'the second read lists nothing' },
  },

  {
    row: 'capabilities/versions-agree',
    form: 'B',
    name: 'health gives another version',
    mutate: inHealth((record) => ({ ...record, version: '0.9.0' })),
  },
  {
    row: 'capabilities/versions-agree',
    form: 'B',
    name: 'health gives another mcpVersion',
    mutate: inHealth((record) => ({ ...record, mcpVersion: '1.1' })),
  },
  {
    row: 'capabilities/versions-agree',
    form: 'B',
    name: 'capabilities gives another version',
    mutate: server((info) => ({ ...info, version: '1.0.1' })),
  },
];
