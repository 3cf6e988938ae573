// What the subject offers besides its tools: prompts, resources, completion and logging, in the words of both eras.

const TEXT = { uri: 'file:///notes.txt', name: 'notes', mimeType: 'text/plain' };
const PICTURE = { uri: 'file:///dot.png', name: 'dot', mimeType: 'image/png' };
const CONTENTS = {
  [TEXT.uri]: { text: 'Buy milk.' },
  [PICTURE.uri]: { blob: 'iVBORw0KGgo=' },
};
const TEMPLATE = { uriTemplate: 'file:///notes/{day}.txt', name: 'notes of a day' };
const PROMPTS = {
  hello: { description: 'Greets.' },
  review: {
    description: 'Reviews code.',
    arguments: [{ name: 'code', description: 'The code.', required: true }],
  },
  picture: { description: 'Shows a picture.' },
};
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

const user = (content) => ({ role: 'user', content });
const contentsOf = ({ uri, mimeType, text }) => ({ uri, mimeType, text, ...CONTENTS[uri] });

/** The capabilities and the methods of these offers. `refuse` throws an error of the protocol, and `pageOf` pages a list. */
export function offersOf(offers, era, refuse, pageOf, traversed = false) {
  const isSession = era === 'session';
  const cached = isSession ? {} : { ttlMs: 0, cacheScope: 'private' };
  const found = ({ uri }) => {
    const resource = [TEXT, PICTURE].find((one) => one.uri === uri);
    if (traversed && uri.includes('..')) return { uri, text: 'root:x:0:0:root:/root:/bin/sh\n' };
    return resource ?? refuse(isSession ? -32002 : -32602, 'Resource not found', { uri });
  };
  const paged = (member, entries) => (params) => {
    const { entries: page, ...rest } = pageOf(entries, params);
    return { [member]: page, ...rest, ...cached };
  };
  const known = {
    prompts: {
      'prompts/list': paged(
        'prompts',
        Object.entries(PROMPTS).map(([name, prompt]) => ({ name, ...prompt })),
      ),
      'prompts/get': ({ name, arguments: given = {} }) => {
        if (!Object.hasOwn(PROMPTS, name)) return refuse(-32602, `unknown prompt ${name}`);
        if (name === 'review' && given.code === undefined) return refuse(-32602, 'code is missing');
        if (name !== 'picture') return { messages: [user({ type: 'text', text: `${name} ${given.code}` })] };
        return {
          messages: [
            user({ type: 'image', data: CONTENTS[PICTURE.uri].blob, mimeType: 'image/png' }),
            user({ type: 'resource', resource: contentsOf(PICTURE) }),
          ],
        };
      },
    },
    resources: {
      'resources/list': paged('resources', [TEXT, PICTURE]),
      'resources/templates/list': paged('resourceTemplates', [TEMPLATE]),
      'resources/read': (params) => ({ contents: [contentsOf(found(params))], ...cached }),
      ...(isSession
        ? {
            'resources/subscribe': (params) => found(params) && {},
            'resources/unsubscribe': (params) => found(params) && {},
          }
        : {}),
    },
    completions: {
      'completion/complete': ({ ref }) =>
        ref.name === 'review' || ref.uri === TEMPLATE.uriTemplate
          ? { completion: { values: ['monday', 'tuesday'], total: 2, hasMore: false } }
          : refuse(-32602, 'unknown reference'),
    },
    logging: {
      'logging/setLevel': ({ level }) => (LEVELS.includes(level) ? {} : refuse(-32602, 'unknown level')),
    },
  };
  const capabilities = Object.fromEntries(
    offers.map((name) => [name, name === 'resources' && isSession ? { subscribe: true } : {}]),
  );
  return { capabilities, methods: Object.assign({}, ...offers.map((name) => known[name])) };
}
