// A plain server of one era, or of both: node era-server.mjs '{"versions":["2025-06-18"]}'
// log: a file for the methods it receives. gate: a file; it answers nothing before the file exists.
// endsOn: the method on which it ends. textIds: ids come back as texts. spread: a message has several lines. http: serves HTTP on a free port, and prints the address. See `reply` for more.
import { appendFileSync, existsSync } from 'node:fs';
import http from 'node:http';
import { createInterface } from 'node:readline';

const options = JSON.parse(process.argv[2] ?? '{}');
const { versions = ['2025-11-25'], log, gate, endsOn } = options;
const PREFIX = 'io.modelcontextprotocol/';
const STATELESS = '2026-07-28';

function reply({ id, method, params = {} }) {
  const error = (code, message, data) => ({ jsonrpc: '2.0', id, error: { code, message, data } });
  const result = (value) => ({ jsonrpc: '2.0', id, result: value });
  const meta = params._meta?.[`${PREFIX}protocolVersion`];
  if (meta !== undefined && versions.includes(STATELESS)) {
    if (method === 'server/discover') return result({ supportedVersions: versions, capabilities: {} });
    return method === 'tools/list' ? result({ tools: [], spoke: meta }) : error(-32601, 'Method not found');
  }
  if (method === 'initialize') {
    if (!versions.includes(params.protocolVersion))
      return error(-32602, 'Unsupported protocol version', { supported: versions });
    return result({
      protocolVersion: params.protocolVersion,
      capabilities: {},
      serverInfo: { name: 'eras', version: '1.0.0' },
    });
  }
  return method === 'tools/list' ? result({ tools: [], spoke: null }) : error(-32601, 'Method not found');
}

function note(message) {
  if (log !== undefined) appendFileSync(log, `${process.pid} ${message.method ?? 'answer'}\n`);
}

if (options.http) {
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const json = (status, value, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(value === undefined ? '' : JSON.stringify(value));
    if (options.key && request.headers.authorization !== `Bearer ${options.key}`)
      return json(401, undefined, { 'www-authenticate': 'Bearer resource_metadata="https://x.example"' });
    if (request.method === 'GET' && options.old) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.write('event: endpoint\ndata: /messages?id=1\n\n');
    }
    if (request.method !== 'POST' || options.old) return json(405);
    const message = JSON.parse(Buffer.concat(chunks).toString());
    note(message);
    if (message.id === undefined) return json(202);
    const answer = reply(message);
    const headers = message.method === 'initialize' ? { 'mcp-session-id': 's-1' } : {};
    const isStateless = message.params?._meta !== undefined;
    if (message.method === 'tools/list') {
      const seen = ['mcp-session-id', 'mcp-protocol-version', 'mcp-method'].map(
        (name) => request.headers[name] ?? '',
      );
      if (answer.result) answer.result.headers = seen;
    }
    if (options.stream && message.method === 'tools/list') {
      response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
      response.write(`data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n`);
      if (options.stream === 'unanswered') return response.end();
      // It keeps the stream open.
      return response.write(`data: ${JSON.stringify(answer)}\n\n`);
    }
    json(answer.error && isStateless ? 400 : 200, answer, headers);
  });
  server.listen(0, '127.0.0.1', () =>
    process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`),
  );
} else {
  const answerTo = (line) => {
    const message = JSON.parse(line);
    note(message);
    if (message.method === endsOn) process.exit(9);
    const isOpen = () => gate === undefined || existsSync(gate);
    const answer = () => {
      const made = reply(message);
      const sent = options.textIds ? { ...made, id: String(made.id) } : made;
      process.stdout.write(`${JSON.stringify(sent, null, options.spread ? 1 : 0)}\n`);
    };
    if (message.id === undefined) return;
    if (isOpen()) return answer();
    const wait = setInterval(() => {
      if (!isOpen()) return;
      clearInterval(wait);
      answer();
    }, 10);
  };
  createInterface({ input: process.stdin }).on('line', answerTo);
}
