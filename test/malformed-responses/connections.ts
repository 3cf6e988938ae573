import { setTimeout as delay } from 'node:timers/promises';
import type { Behaviour, Visit } from './behaviour.ts';
import { CLEAN, failing, otherStatus } from './finds.ts';
import { bytesOf, headed, headOf } from './wire.ts';

const EMPTY = bytesOf({
  status: 200,
  headers: [['content-type', 'application/json']],
  body: Buffer.from('{}'),
});

const framing = (connection: string): Behaviour['play'] =>
  headed(({ body }) => ({ framing: [`content-length: ${body.length}`, `connection: ${connection}`] }));

/** The findings for a body without any member of the contract. */
const emptyRecord: Behaviour['finds'] = {
  health: failing('missing', 'health/status-string', 'health/uptime-number', 'health/timestamp-iso8601'),
  capabilities: [...failing('missing', 'capabilities/functions-array')],
  execute: failing(/./, 'execute/result-object', 'execute/execution-time', 'execute/request-id-echo'),
};

export const connections: readonly Behaviour[] = [
  {
    id: 'connections/upgrade',
    words: 'sends Connection: upgrade and an Upgrade header',
    legal: true,
    play: headed(({ body }) => ({
      framing: [`content-length: ${body.length}`, 'connection: upgrade', 'upgrade: h2c, websocket'],
    })),
    finds: CLEAN,
  },
  {
    id: 'connections/no-word',
    words: 'sends no Connection header',
    legal: true,
    play: headed(({ body }) => ({ framing: [`content-length: ${body.length}`] })),
    finds: CLEAN,
  },
  {
    id: 'connections/contradiction',
    words: 'sends Connection: close, keep-alive',
    legal: true,
    play: framing('close, keep-alive'),
    finds: CLEAN,
  },
  {
    id: 'connections/garbage',
    words: 'sends Connection: ,, ;zebra',
    legal: true,
    play: framing(',, ;zebra'),
    finds: CLEAN,
  },
  {
    id: 'connections/alternatives',
    words: 'names other addresses: Alt-Svc, Refresh, Content-Location, Link',
    legal: true,
    play: (visit) => {
      const { decoyUrl } = visit;
      const add = [
        `alt-svc: h2="${decoyUrl.slice('http://'.length)}"; ma=86400`,
        `refresh: 0; url=${decoyUrl}/`,
        `content-location: ${decoyUrl}/`,
        `link: <${decoyUrl}/>; rel=preload`,
      ];
      visit.socket.end(bytesOf(visit.answer, { add }));
    },
    finds: CLEAN,
  },
  {
    id: 'connections/goes-on-writing',
    words: 'writes more bytes for a while after the complete answer',
    legal: false,
    play: async ({ socket, answer }: Visit) => {
      socket.write(bytesOf(answer, { framing: [`content-length: ${answer.body.length}`] }));
      for (let round = 0; round < 20 && !socket.destroyed; round += 1) {
        socket.write(Buffer.alloc(16 * 1024, 'x'));
        await delay(5);
      }
      socket.end();
    },
    finds: CLEAN,
  },
  {
    id: 'connections/half-closed',
    words: 'answers and closes its side before the client closes its own',
    legal: true,
    play: ({ socket, bytes }) => {
      socket.allowHalfOpen = true;
      socket.end(bytes);
    },
    finds: CLEAN,
  },
  {
    id: 'connections/answer-before-request',
    words: 'sends an answer with an empty record as soon as the connection is open',
    legal: false,
    on: 'accepted',
    play: ({ socket }) => void socket.end(EMPTY),
    finds: emptyRecord,
  },
  {
    id: 'connections/answer-before-the-answer',
    words: 'sends an answer with an empty record as soon as the connection is open, and leaves it open',
    legal: false,
    on: 'accepted',
    play: ({ socket }) => void socket.write(EMPTY),
    finds: emptyRecord,
  },
  {
    id: 'connections/error-before-request',
    words: 'sends 408 Request Timeout as soon as the connection is open',
    legal: true,
    on: 'accepted',
    play: ({ socket }) =>
      void socket.end('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
    finds: { ...otherStatus(408), execute: failing('408', 'execute/status-200') },
  },
  {
    id: 'connections/head-in-bytes',
    words: 'sends the answer one byte per packet',
    legal: true,
    play: ({ socket, answer }) => {
      socket.setNoDelay(true);
      for (const byte of headOf(answer)) socket.write(Buffer.from([byte]));
      socket.end(answer.body);
    },
    finds: CLEAN,
  },
];
