// A server of the Model Context Protocol over its standard streams that does as little as possible, so that the
// figures are those of its clients. Its tool has the name and the parameter of that of server-everything.

const TOOL = {
  name: 'echo',
  description: 'Returns the text.',
  inputSchema: {
    type: 'object',
    properties: { message: { type: 'string', description: 'Any text.' } },
    required: ['message'],
  },
  annotations: { readOnlyHint: true },
};

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'echo', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [TOOL] }),
  'tools/call': ({ arguments: { message } }) => ({ content: [{ type: 'text', text: message }] }),
  ping: () => ({}),
};

let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  const answers = lines.map((line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return '';
    return `${JSON.stringify({ jsonrpc: '2.0', id, result: ANSWERS[method](params) })}\n`;
  });
  process.stdout.write(answers.join(''));
});
