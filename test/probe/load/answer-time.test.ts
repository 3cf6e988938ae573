import { expect, test } from 'vitest';
import { createLeanTransport } from '../../../src/probe/load/lean-transport.ts';
import { listen } from '../raw-server.ts';
import { OK } from '../wire/responses.ts';

const ANSWERS = 20;
/** Ten thousand chunks of one byte in a single read: parsing them takes far longer than reading a clock. */
const ANSWER = `${OK}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(10_000)}0\r\n\r\n`;
const MIN_PARSING_MS = 0.1;

test('the time of an answer is when it arrived, not when it was parsed', async () => {
  const server = await listen(({ socket }) => {
    socket.on('data', () => socket.write(ANSWER));
    socket.on('error', () => undefined);
  });
  const request = { method: 'GET', url: `${server.url}/`, headers: [], body: null, weight: 1 };
  const transport = createLeanTransport({ ca: null, publicOnly: false, timeoutMs: 5000 });
  const parsingMs: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const connection = transport.connect([request], {
      onAnswer: (_status, atMs) => {
        parsingMs.push(performance.now() - atMs);
        if (parsingMs.length < ANSWERS) return connection.send(0, performance.now());
        connection.drop();
        resolve();
      },
      onFailure: ({ message }) => reject(new Error(message)),
    });
    connection.send(0, performance.now());
  });
  await server.close();
  // The median ignores answers that arrived in several reads, and hold-ups.
  const [medianMs] = parsingMs.toSorted((left, right) => left - right).slice(ANSWERS / 2);
  expect(medianMs).toBeGreaterThan(MIN_PARSING_MS);
});
