import type { Mutant } from './mutant.ts';
import {
  inDescriptor,
  inDescriptorA,
  inDescriptorB,
  inDescriptors,
  inDescriptorsB,
  inParameters,
  inReturns,
} from './mutations.ts';

/** Changes the description of the required parameter of `greet`. */
function nameDescribed(description: unknown): Mutant['mutate'] {
  return inParameters('greet', (parameters) => {
    const { name = {}, ...others } = parameters.properties;
    return { ...parameters, properties: { name: { ...name, description }, ...others } };
  });
}

const UNTYPED = {
  'capabilities/parameters-typed': 'that row requires the same',
} as const;

export const documentationMutants: readonly Mutant[] = [
  ...['', '  ', 'greet', 'Greet.', 'TODO', 'No description.', '...'].map((description, index): Mutant => {
    return {
      row: 'documentation/function-descriptions',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `a description is ${JSON.stringify(description)}`,
      mutate: inDescriptor('greet', (descriptor) => ({ ...descriptor, description })),
    };
  }),
  {
    row: 'documentation/function-descriptions',
    form: 'both',
    name: 'the description of a function with a name of two words is the name again',
    mutate: inDescriptor('current-time', (descriptor) => ({ ...descriptor, description: 'Current time' })),
  },
  {
    row: 'documentation/function-descriptions',
    form: 'A',
    name: 'one description is missing, another is a placeholder',
    mutate: inDescriptors((descriptor) => {
      if (descriptor.name === 'add') return { ...descriptor, description: undefined };
      return descriptor.name === 'greet' ? { ...descriptor, description: 'tbd' } : descriptor;
    }),
    alsoFails: { 'capabilities/function-description': 'one of the two is missing' },
  },

  {
    row: 'documentation/parameter-descriptions',
    form: 'B',
    name: 'a parameter has no description',
    mutate: nameDescribed(undefined),
  },
  {
    row: 'documentation/parameter-descriptions',
    form: 'B',
    name: 'the description of a parameter is empty',
    mutate: nameDescribed(''),
  },
  {
    row: 'documentation/parameter-descriptions',
    form: 'B',
    name: 'the description of a parameter is a dash',
    mutate: nameDescribed(' - '),
  },
  {
    row: 'documentation/parameter-descriptions',
    form: 'B',
    name: 'no parameter has a description',
    mutate: inDescriptorsB((descriptor) => {
      const entries = Object.entries(descriptor.parameters.properties).map(([name, { type }]) => [
        name,
        { type },
      ]);
      return {
        ...descriptor,
        parameters: { ...descriptor.parameters, properties: Object.fromEntries(entries) },
      };
    }),
  },

  {
    row: 'documentation/parameter-types',
    form: 'B',
    name: 'no parameter has a type',
    mutate: inDescriptorsB((descriptor) => {
      const entries = Object.entries(descriptor.parameters.properties).map(([name, { description }]) => [
        name,
        { description },
      ]);
      return {
        ...descriptor,
        parameters: { ...descriptor.parameters, properties: Object.fromEntries(entries) },
      };
    }),
    alsoFails: UNTYPED,
  },
  {
    row: 'documentation/parameter-types',
    form: 'B',
    name: 'an optional parameter has no type',
    mutate: inParameters('greet', (parameters) => {
      const { language: { description } = {}, ...others } = parameters.properties;
      return { ...parameters, properties: { ...others, language: { description } } };
    }),
    alsoFails: UNTYPED,
  },

  {
    row: 'documentation/return-types',
    form: 'A',
    name: 'a descriptor does not list what the function returns',
    mutate: inDescriptorA('greet', (descriptor) => ({ ...descriptor, outputs: undefined })),
    alsoFails: { 'capabilities/outputs-array': 'outputs is missing' },
  },
  {
    row: 'documentation/return-types',
    form: 'B',
    name: 'a descriptor does not list what the function returns',
    mutate: inDescriptorB('greet', (descriptor) => ({ ...descriptor, returns: { type: 'object' } })),
    alsoFails: { 'capabilities/returns-schema': 'returns has no properties' },
  },
  {
    row: 'documentation/return-types',
    form: 'B',
    name: 'a return key has no type',
    mutate: inReturns('price-order', ({ type, properties }) => {
      return { type, properties: { ...properties, itemCount: { description: 'How many items.' } } };
    }),
    alsoFails: { 'capabilities/returns-schema': 'a property of returns has no type' },
  },

  {
    row: 'documentation/examples',
    form: 'both',
    name: 'a function has no examples',
    mutate: inDescriptor('greet', (descriptor) => ({ ...descriptor, examples: undefined })),
  },
  {
    row: 'documentation/examples',
    form: 'both',
    name: 'the list of examples of a function is empty',
    mutate: inDescriptor('add', (descriptor) => ({ ...descriptor, examples: [] })),
  },
  {
    row: 'documentation/examples',
    form: 'B',
    name: 'no function has examples, and the configuration has a sample for one',
    mutate: inDescriptorsB((descriptor) => ({ ...descriptor, examples: undefined })),
  },
  {
    row: 'documentation/definition-tokens',
    form: 'both',
    name: 'the definitions cost more than is allowed',
    mutate: inDescriptor('greet', (descriptor) => ({
      ...descriptor,
      description: `${descriptor.description} It is short and friendly.`.repeat(40),
    })),
    options: { maxDefinitionTokens: 500 },
  },
  {
    row: 'documentation/examples',
    form: 'A',
    name: 'the example of a function is a string',
    mutate: inDescriptor('add', (descriptor) => ({ ...descriptor, examples: ['add 2 and 3'] })),
  },
];
