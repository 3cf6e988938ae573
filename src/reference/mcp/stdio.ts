import { Conversation } from './conversation.ts';
import { referenceCatalog } from './offers/reference-catalog.ts';
import type { Catalog } from './protocol/catalog.ts';
import { readMessage } from './protocol/messages.ts';

const newline = 0x0a;

/** Serves MCP with one message a line, until the input ends. */
export const serveStreams = async (
  input: AsyncIterable<Buffer>,
  output: { readonly write: (text: string) => unknown },
  catalog: Catalog = referenceCatalog,
): Promise<void> => {
  const send = (text: string): void => void output.write(`${text}\n`);
  // All messages share one stream, which nobody can open again.
  const outlet = { isOpen: true, send, disconnect: () => undefined };
  const conversation = new Conversation(catalog, send);
  const answering = new Set<Promise<void>>();
  for await (const line of linesIn(input)) {
    if (line.toString('latin1').trim() === '') continue;
    // Not awaited: the client may send the next request, or cancel this one, before it has the answer.
    const answered = conversation.answer(readMessage(line), outlet).then((answer) => {
      if (answer !== undefined) send(answer.text);
      answering.delete(answered);
    });
    answering.add(answered);
  }
  conversation.close();
  await Promise.all(answering);
};

async function* linesIn(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of input) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end + 1);
    }
  }
  yield rest;
}
