// Passes bodies on, and does nothing else that the gateway does: `node plain-proxy.mjs URL`. Prints its address.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Pool } from 'undici';

const pool = new Pool(process.argv[2]);
const server = createServer(async (request, response) => {
  const sent = await buffer(request);
  const headers = { 'content-type': 'application/json' };
  const { statusCode, body } = await pool.request({ method: 'POST', path: request.url, headers, body: sent });
  const answer = Buffer.from(await body.arrayBuffer());
  response.writeHead(statusCode, { ...headers, 'content-length': answer.length }).end(answer);
}).listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
