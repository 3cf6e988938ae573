import type { Mutant, MutantRequest } from './mutant.ts';
import { hangUp, inServed, json, raw, servedCallOf, withCall, withStatus } from './mutations.ts';

interface Greeting {
  readonly name?: unknown;
  readonly language?: unknown;
}

function greeting({ operation, call }: MutantRequest): Greeting | null {
  return operation === 'execute' && call.function === 'greet' ? (call.parameters as Greeting) : null;
}

/** Applies to a valid call of greet with this name. */
function named(name: string): (request: MutantRequest) => boolean {
  return (request) => greeting(request)?.name === name;
}

const LANGUAGES: readonly unknown[] = ['en', 'fr', 'de', undefined];

/** Applies to a call of greet in an unknown language. */
function inUnknownLanguage(request: MutantRequest): boolean {
  const { name, language } = greeting(request) ?? { language: 'en' };
  return typeof name === 'string' && typeof language === 'string' && !LANGUAGES.includes(language);
}

const PAGE = {
  status: 500,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<h1>Internal Server Error</h1>'),
};

export const inputsMutants: readonly Mutant[] = [
  {
    row: 'inputs/valid-answered',
    form: 'B',
    name: 'an empty text ends in an error page',
    mutate: raw(named(''), () => PAGE),
  },
  {
    row: 'inputs/valid-answered',
    form: 'B',
    name: 'an empty text closes the connection',
    mutate: () => async (request, conform) => (named('')(request) ? hangUp() : conform(request)),
  },
  {
    row: 'inputs/valid-answered',
    form: 'B',
    name: 'an emoji is answered with 503',
    mutate: raw(named('😀'), withStatus(503)),
  },
  {
    row: 'inputs/valid-answered',
    form: 'B',
    name: 'an empty text is answered with a list',
    mutate: raw(named(''), () => json(200, [])),
  },
  {
    row: 'inputs/result-matches-returns',
    form: 'B',
    name: 'an empty text is greeted with null',
    mutate: inServed(
      (answer) => ({ ...answer, result: { greeting: null } }),
      (request, answer) => servedCallOf('greet')(request, answer) && named('')(request),
    ),
  },
  {
    row: 'inputs/invalid-refused',
    form: 'B',
    name: 'an unknown language is English',
    mutate: () => async (request, conform) => {
      const input = greeting(request);
      return input !== null && inUnknownLanguage(request)
        ? conform(withCall(request, { ...request.call, parameters: { name: input.name } }))
        : conform(request);
    },
  },
  {
    row: 'inputs/invalid-refused',
    form: 'B',
    name: 'an unknown language ends in an error page',
    mutate: raw(inUnknownLanguage, () => PAGE),
  },
  {
    row: 'inputs/same-kind',
    form: 'B',
    name: 'the second greeting of nobody fails',
    mutate: () => {
      let count = 0;
      return async (request, conform) => {
        if (!named('')(request)) return conform(request);
        count += 1;
        const { requestId } = request.call;
        return count === 1
          ? conform(request)
          : json(500, { error: { code: 'EXECUTION_ERROR', message: 'Nobody is left.' }, requestId });
      };
    },
  },
  {
    row: 'inputs/same-kind',
    form: 'B',
    name: 'the second greeting of nobody is a list',
    mutate: () => {
      let count = 0;
      return async (request, conform) => {
        const answer = await conform(request);
        if (!named('')(request)) return answer;
        count += 1;
        const { requestId } = request.call;
        return count === 1
          ? answer
          : json(200, { requestId, executionTime: 0, result: { greeting: ['Hello'] } });
      };
    },
    alsoFails: { 'inputs/result-matches-returns': 'the list is not the declared text' },
  },
  {
    row: 'inputs/callers-apart',
    form: 'B',
    name: 'each second name of one letter is greeted by the name before',
    mutate: () => {
      let [count, last] = [0, ''];
      return async (request, conform) => {
        const { name } = greeting(request) ?? {};
        if (typeof name !== 'string' || !/^[b-z]$/.test(name)) return conform(request);
        count += 1;
        const shown = count > 2 && count % 2 === 1 ? last : name;
        last = name;
        return conform(withCall(request, { ...request.call, parameters: { name: shown } }));
      };
    },
  },
];
