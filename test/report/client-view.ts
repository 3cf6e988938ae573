import type { ClientView } from '../../src/model/client-view.ts';

/** Of two functions, one of which two profiles do not accept, compared with an older contract. */
export const CLIENT_VIEW: ClientView = {
  functions: 2,
  tokens: {
    isEstimate: true,
    name: 2,
    texts: 18,
    schemas: 80,
    total: 100,
    functions: [
      { function: 'search', name: 1, texts: 10, schemas: 64, total: 75 },
      { function: 'add', name: 1, texts: 8, schemas: 16, total: 25 },
    ],
  },
  portability: [
    {
      profile: 'anthropic',
      title: 'Anthropic tools',
      isChosen: false,
      functions: 2,
      portable: 2,
      refused: [],
      problems: [],
    },
    {
      profile: 'gemini',
      title: 'Gemini functions',
      isChosen: false,
      functions: 2,
      portable: 1,
      refused: ['search'],
      problems: [problem('search', 'remove "examples"')],
    },
    {
      profile: 'openai-strict',
      title: 'OpenAI functions, strict',
      isChosen: true,
      functions: 2,
      portable: 0,
      refused: ['search', 'add'],
      problems: [
        problem('search', 'add "additionalProperties": false'),
        problem('add', 'add "additionalProperties": false'),
      ],
      more: 3,
    },
  ],
  changes: [
    change('breaking', 'search', 'the argument "unit" is required now'),
    { ...change('cosmetic', 'add', 'the description was changed'), isSuspicious: true },
  ],
};

function problem(name: string, words: string): ClientView['portability'][number]['problems'][number] {
  return {
    function: name,
    rule: 'rule',
    pointer: '/inputSchema',
    message: `it must not be so: ${words}`,
    change: words,
  };
}

function change(kind: 'breaking' | 'cosmetic', name: string, message: string) {
  return { kind, of: 'function', name, pointer: '/functions/0', message, before: 1, after: 2 } as const;
}
