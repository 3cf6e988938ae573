// A target of form A: `node gateway-target.mjs MS PEM keep|close BYTES`. It answers after MS with an output of BYTES, over TLS
// if PEM names a file with a key and a certificate, and keeps or closes each connection. Prints its address.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const [ms, pem, way, bytes] = process.argv.slice(2);
const CAPABILITIES = { functions: [{ name: 'f', description: 'One', inputs: ['text'], outputs: ['text'] }] };
const OUTPUT = { text: 'probity '.repeat(Math.ceil(Number(bytes) / 8)).slice(0, Number(bytes)) };

function listener(request, response) {
  request.resume();
  request.on('end', () => {
    const text = JSON.stringify(request.url === '/capabilities' ? CAPABILITIES : { output: OUTPUT });
    const answer = () =>
      response
        .writeHead(200, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          ...(way === 'close' ? { connection: 'close' } : {}),
        })
        .end(text);
    if (ms === '0') answer();
    else setTimeout(answer, Number(ms));
  });
}

const server =
  pem === ''
    ? http.createServer(listener)
    : https.createServer({ key: readFileSync(pem), cert: readFileSync(pem) }, listener);
server.listen(0, '127.0.0.1', () => {
  console.log(`${pem === '' ? 'http' : 'https'}://127.0.0.1:${server.address().port}`);
});
