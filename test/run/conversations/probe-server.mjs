// A server with sessions, which does not answer what comes before initialize if it is started with `quiet`. Its methods
// misbehave: crash ends it, hang is not answered, stray answers another request, late answers after the
// next message, a text that is no JSON is refused only then, ask sends two requests to the client and returns what they were answered with.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
// `only FILE`: a second process ends, because the first one has created the file.
if (process.argv[2] === 'only') writeFileSync(process.argv[3], '', { flag: 'wx' });
// `linger`: it does not end with its input.
if (process.argv[2] === 'linger')
  process.stdin.on('end', () => {
    process.stderr.write('last words\n');
    setInterval(() => undefined, 60_000);
  });
const replies = [];
let asking;
let late;

createInterface({ input: process.stdin }).on('line', (line) => {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    late = null;
    return;
  }
  const { id, method, params } = message;
  if (method === undefined) {
    replies.push(message);
    if (replies.length === 2) write({ id: asking, result: { replies } });
    return;
  }
  if (late !== undefined) {
    write(
      late === null ? { id: null, error: { code: -32700, message: 'no JSON' } } : { id: late, result: {} },
    );
    late = undefined;
  }
  if (id === undefined) {
    // The opening is accepted.
    if (method !== 'notifications/initialized') late = null;
    return;
  }
  if (method === 'initialize')
    write({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: {},
        serverInfo: { name: 'probed', version: '1' },
      },
    });
  else if (method === 'crash') {
    process.stderr.write('out of luck\n');
    process.exitCode = 3;
    process.stdin.destroy();
  } else if (method === 'hang') return;
  else if (method === 'stray') write({ id: 'nobody', result: {} });
  else if (method === 'late') late = id;
  else if (method === 'ask') {
    asking = id;
    write({ id: 'p', method: 'ping' });
    write({ id: 'r', method: 'roots/list' });
  } else if (method === 'server/discover') {
    if (process.argv[2] !== 'quiet') write({ id, error: { code: -32601, message: 'unknown' } });
  } else write({ id, result: { pid: process.pid } });
});
