import { setTimeout as delay } from 'node:timers/promises';
import type { Behaviour, Visit } from './behaviour.ts';
import { CLEAN, perhaps, unanswered } from './finds.ts';
import { CHUNKED, chunk, headOf } from './wire.ts';

/** `resetAndDestroy` alone would close its side normally first. */
function reset({ socket }: Visit): void {
  Object.assign(socket, { resetAndClosing: true });
  socket.destroy();
}

/** A reset may drop written bytes, so they get time to arrive. */
async function resetAfter(visit: Visit, written: Buffer): Promise<void> {
  visit.socket.write(written);
  await delay(50);
  reset(visit);
}

/** If unread data precede a reset, Node.js may report the end of the connection instead. */
const resetOrEnd = unanswered(/connection-reset|closed-early/);

export const resets: readonly Behaviour[] = [
  {
    id: 'resets/on-accept',
    words: 'resets the connection as soon as it is open',
    legal: false,
    on: 'accepted',
    play: reset,
    finds: unanswered('connection-reset'),
  },
  {
    id: 'resets/after-the-request',
    words: 'reads the request and resets the connection',
    legal: false,
    play: reset,
    finds: unanswered('connection-reset'),
  },
  {
    id: 'resets/after-the-head',
    words: 'resets after the head of the answer',
    legal: false,
    play: (visit) => resetAfter(visit, headOf(visit.answer)),
    finds: resetOrEnd,
  },
  {
    id: 'resets/in-the-body',
    words: 'resets in the middle of a body of known length',
    legal: false,
    play: (visit) =>
      resetAfter(visit, Buffer.concat([headOf(visit.answer), visit.answer.body.subarray(0, 20)])),
    finds: resetOrEnd,
  },
  {
    id: 'resets/in-a-chunk',
    words: 'resets in the middle of a chunk',
    legal: false,
    play: (visit) => {
      const head = headOf(visit.answer, { framing: CHUNKED });
      return resetAfter(visit, Buffer.concat([head, chunk(visit.answer.body).subarray(0, 20)]));
    },
    finds: resetOrEnd,
  },
  {
    id: 'resets/body-until-close',
    words: 'resets instead of closing after a whole body that ends with the connection',
    legal: false,
    play: (visit) => {
      const head = headOf(visit.answer, { framing: ['connection: close'] });
      return resetAfter(visit, Buffer.concat([head, visit.answer.body]));
    },
    finds: perhaps(unanswered('connection-reset')),
  },
  {
    id: 'resets/after-the-answer',
    words: 'resets after a whole answer of known length',
    legal: true,
    play: (visit) => resetAfter(visit, visit.bytes),
    finds: CLEAN,
  },
];
