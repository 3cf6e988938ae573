import { setTimeout as delay } from 'node:timers/promises';
import { defineFunction, FunctionFailure, type ReferenceFunction } from './define-function.ts';

export const serverIdentity = { name: 'probity-reference', version: '1.0.0' } as const;

const currentTime = defineFunction({
  name: 'current-time',
  description: 'Tells the current time of the server, in UTC.',
  parameters: { type: 'object', properties: {}, required: [] },
  returns: {
    type: 'object',
    properties: { time: { type: 'string', description: 'The time as an ISO 8601 date-time.' } },
  },
  examples: [{ input: {} }],
  run: () => ({ time: new Date().toISOString() }),
});

const add = defineFunction({
  name: 'add',
  description: 'Adds the numbers a and b.',
  parameters: {
    type: 'object',
    properties: {
      a: { type: 'number', description: 'The first number.' },
      b: { type: 'number', description: 'The number to add to it.' },
    },
    required: ['a', 'b'],
  },
  returns: { type: 'object', properties: { sum: { type: 'number', description: 'The sum of a and b.' } } },
  examples: [
    { input: { a: 2, b: 3 }, output: { sum: 5 } },
    { input: { a: -1.5, b: 0.25 }, output: { sum: -1.25 } },
  ],
  run: ({ a, b }) => ({ sum: representable(a + b) }),
});

const divide = defineFunction({
  name: 'divide',
  description: 'Divides the dividend by the divisor. Fails when the divisor is 0.',
  parameters: {
    type: 'object',
    properties: {
      dividend: { type: 'number', description: 'The number to divide.' },
      divisor: { type: 'number', description: 'The number to divide it by; anything but 0.' },
    },
    required: ['dividend', 'divisor'],
  },
  returns: {
    type: 'object',
    properties: { quotient: { type: 'number', description: 'The dividend divided by the divisor.' } },
  },
  examples: [{ input: { dividend: 7, divisor: 2 }, output: { quotient: 3.5 } }],
  run: ({ dividend, divisor }) => {
    if (divisor === 0) throw new FunctionFailure('The divisor is 0, and nothing can be divided by 0.');
    return { quotient: representable(dividend / divisor) };
  },
});

const greetings = {
  en: (name: string) => `Hello, ${name}!`,
  fr: (name: string) => `Bonjour, ${name} !`,
  de: (name: string) => `Hallo, ${name}!`,
} as const;

const greet = defineFunction({
  name: 'greet',
  description: 'Greets someone by name, in English unless another language is chosen.',
  parameters: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Who is greeted; the greeting holds the name unchanged.' },
      language: {
        type: 'string',
        enum: ['en', 'fr', 'de'],
        description: 'The language to greet in; en when omitted.',
      },
    },
    required: ['name'],
  },
  returns: {
    type: 'object',
    properties: { greeting: { type: 'string', description: 'The whole greeting.' } },
  },
  examples: [
    { input: { name: 'Ada' }, output: { greeting: 'Hello, Ada!' } },
    { input: { name: 'Zoé', language: 'fr' }, output: { greeting: 'Bonjour, Zoé !' } },
  ],
  run: ({ name, language = 'en' }) => ({ greeting: greetings[language](name) }),
});

const priceOrder = defineFunction({
  name: 'price-order',
  description: 'Works out what an order costs, from the quantity and the price of each of its items.',
  parameters: {
    type: 'object',
    properties: {
      order: {
        type: 'object',
        description: 'The order to price.',
        properties: {
          customer: {
            type: 'object',
            description: 'Who ordered.',
            properties: {
              name: { type: 'string', description: 'The name that the customer goes by.' },
              country: {
                type: 'string',
                description: 'The country to deliver to, as an ISO 3166 code such as FR.',
              },
            },
            required: ['name', 'country'],
          },
          items: {
            type: 'array',
            description: 'What was ordered, one entry per article.',
            items: {
              type: 'object',
              description: 'One article of the order.',
              properties: {
                sku: { type: 'string', description: 'The stock code of the article.' },
                quantity: { type: 'integer', minimum: 1, maximum: 1_000, description: 'How many pieces.' },
                unitPriceCents: {
                  type: 'integer',
                  minimum: 0,
                  maximum: 10_000_000,
                  description: 'The price of one piece, in cents.',
                },
              },
              required: ['sku', 'quantity', 'unitPriceCents'],
            },
          },
        },
        required: ['customer', 'items'],
      },
    },
    required: ['order'],
  },
  returns: {
    type: 'object',
    properties: {
      totalCents: { type: 'integer', description: 'The price of the whole order, in cents.' },
      itemCount: { type: 'integer', description: 'The number of pieces in the order.' },
      customer: { type: 'string', description: 'The name of the customer.' },
    },
  },
  examples: [
    {
      input: {
        order: {
          customer: { name: 'Ada', country: 'GB' },
          items: [
            { sku: 'PEN-01', quantity: 3, unitPriceCents: 250 },
            { sku: 'INK-07', quantity: 1, unitPriceCents: 1_200 },
          ],
        },
      },
      output: { totalCents: 1_950, itemCount: 4, customer: 'Ada' },
    },
  ],
  run: ({ order }) => ({
    totalCents: order.items.reduce((total, item) => total + item.quantity * item.unitPriceCents, 0),
    itemCount: order.items.reduce((count, item) => count + item.quantity, 0),
    customer: order.customer.name,
  }),
});

const wait = defineFunction({
  name: 'wait',
  description: 'Waits for the given time before it answers, as slow work would.',
  parameters: {
    type: 'object',
    properties: {
      durationMs: {
        type: 'integer',
        minimum: 0,
        maximum: 200,
        description: 'How long to wait, in milliseconds.',
      },
    },
    required: ['durationMs'],
  },
  returns: {
    type: 'object',
    properties: { waitedMs: { type: 'integer', description: 'How long the wait was, in milliseconds.' } },
  },
  examples: [{ input: { durationMs: 5 }, output: { waitedMs: 5 } }],
  run: async ({ durationMs }, work) => {
    const signal = work?.signal;
    const halfMs = Math.floor(durationMs / 2);
    await delay(halfMs, undefined, { signal });
    work?.reportProgress(50, 100, 'Half of the time is over.');
    await delay(durationMs - halfMs, undefined, { signal });
    work?.reportProgress(100, 100, 'The time is over.');
    return { waitedMs: durationMs };
  },
});

export const referenceFunctions: readonly ReferenceFunction[] = [
  currentTime,
  add,
  divide,
  greet,
  priceOrder,
  wait,
];

/** JSON has no infinity: it would silently become null instead of a number. */
function representable(result: number): number {
  if (!Number.isFinite(result)) throw new FunctionFailure('The result is too large for a number.');
  return result;
}

/** Configured samples for the reference servers: the one input on which a function fails. */
export const REFERENCE_SAMPLES = {
  divide: [{ input: { dividend: 10, divisor: 4 } }, { input: { dividend: 1, divisor: 0 }, fails: true }],
} as const;
