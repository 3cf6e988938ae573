import type { CheckOptions } from '../../src/check/check-options.ts';
import { exploringWith } from '../../src/run/steps/exploring-settings.ts';
import type { Mutant, MutantRequest, RawAnswer } from './mutant.ts';
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

/** Adds functions that store a greeting and remove it again; removing it twice is answered by `broken`. */
function withStoredGreetings(broken: () => RawAnswer): Mutant['mutate'] {
  return () => {
    const stored = new Map<string, boolean>();
    const id = { type: 'string', description: 'Identifier that createNote returned' };
    const described = (name: string, description: string, parameter: object, result: object) => ({
      name,
      description,
      parameters: { type: 'object', properties: parameter, required: Object.keys(parameter) },
      returns: { type: 'object', properties: result, required: Object.keys(result) },
    });
    const added = [
      described(
        'createNote',
        'Creates a note.',
        { text: { type: 'string', description: 'Text' } },
        { noteId: id },
      ),
      described('deleteNote', 'Deletes a note.', { noteId: id }, { deleted: { type: 'boolean' } }),
    ];
    return async (request, conform) => {
      const { function: name, parameters, requestId } = request.call;
      if (request.operation === 'capabilities') {
        const answer = JSON.parse((await conform(request)).body.toString()) as { functions: object[] };
        return json(200, { ...answer, functions: [...answer.functions, ...added] });
      }
      const { text, noteId } = (parameters ?? {}) as { readonly text?: unknown; readonly noteId?: unknown };
      if (name === 'createNote' && typeof text === 'string') {
        const key = `note-${stored.size + 1}`;
        stored.set(key, true);
        return json(200, { requestId, result: { noteId: key }, executionTime: 0 });
      }
      if (name !== 'deleteNote' || typeof noteId !== 'string') return conform(request);
      if (!stored.has(noteId))
        return json(404, { requestId, error: { code: 'NOT_FOUND', message: 'There is no such note.' } });
      if (stored.get(noteId) === false) return broken();
      stored.set(noteId, false);
      return json(200, { requestId, result: { deleted: true }, executionTime: 0 });
    };
  };
}

const IN_SEQUENCES: CheckOptions = {
  only: ['inputs/sequences-answered'],
  mutating: { default: 'allow' },
  exploring: exploringWith(100),
  requestsPerSecond: 10_000,
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
  {
    row: 'inputs/sequences-answered',
    form: 'B',
    name: 'deleting a note twice ends in an error page',
    mutate: withStoredGreetings(() => PAGE),
    options: IN_SEQUENCES,
  },
  {
    row: 'inputs/sequences-answered',
    form: 'B',
    name: 'deleting a note twice returns another type',
    mutate: withStoredGreetings(() => json(200, { result: { deleted: 'before' }, executionTime: 0 })),
    options: IN_SEQUENCES,
  },
];
