import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { NaturalRecord, OnCall } from '../natural-server.ts';

interface Poll {
  question: string;
  options: string[];
  answers: number[];
}

/** The office's lunch polls. */
class Polls {
  readonly #polls: Poll[] = [{ question: 'Pizza or pasta?', options: ['pizza', 'pasta'], answers: [3, 2] }];

  createPoll({ question }: { question?: unknown }): object {
    if (typeof question !== 'string' || question.trim() === '') return refuse('question must be given');
    this.#polls.push({ question, options: ['yes', 'no'], answers: [0, 0] });
    return { pollNumber: this.#polls.length, options: ['yes', 'no'] };
  }

  answerPoll({ pollNumber, option }: { pollNumber?: unknown; option?: unknown }): object {
    const poll = this.#polls[Number(pollNumber) - 1];
    if (poll === undefined) return refuse('there is no poll with this number', 404);
    const at = poll.options.indexOf(String(option));
    if (at < 0) return refuse(`option must be one of ${poll.options.join(', ')}`);
    poll.answers[at] = (poll.answers[at] ?? 0) + 1;
    return { thanks: true };
  }

  pollResult({ pollNumber }: { pollNumber?: unknown }): object {
    const poll = this.#polls[Number(pollNumber) - 1];
    if (poll === undefined) return refuse('there is no poll with this number', 404);
    return {
      question: poll.question,
      votes: Object.fromEntries(poll.options.map((one, at) => [one, poll.answers[at]])),
    };
  }

  openPolls(): object {
    return {
      polls: this.#polls.map(({ question }, index) => ({ pollNumber: index + 1, question })).slice(-25),
    };
  }
}

function refuse(message: string, status = 400): never {
  throw Object.assign(new Error(message), { status, code: 'BAD_INPUT' });
}

const FUNCTIONS = [
  {
    name: 'createPoll',
    description: 'Starts a yes-or-no poll.',
    inputs: ['question'],
    outputs: ['pollNumber', 'options'],
  },
  {
    name: 'answerPoll',
    description: 'Answers a poll.',
    inputs: ['pollNumber', 'option'],
    outputs: ['thanks'],
    example: { pollNumber: 1, option: 'pasta' },
  },
  {
    name: 'pollResult',
    description: 'Shows how a poll stands.',
    inputs: ['pollNumber'],
    outputs: ['question', 'votes'],
    example: { pollNumber: 1 },
  },
  { name: 'openPolls', description: 'Lists the polls that can be answered.', inputs: [], outputs: ['polls'] },
] as const;

async function start(_form: unknown, onCall: OnCall) {
  const polls = new Polls();
  const app = express().disable('x-powered-by');
  const router = express.Router({ strict: true });
  router.get('/health', (_request, response) => {
    response.json({
      status: 'ok',
      uptime: Math.round(process.uptime()),
      timestamp: new Date().toISOString(),
    });
  });
  router.get('/capabilities', (_request, response) => void response.json({ functions: FUNCTIONS }));
  router.post('/execute', express.json(), (request, response) => {
    const call = (request.body ?? {}) as { function?: unknown; input?: unknown };
    const fn = FUNCTIONS.find(({ name }) => name === call.function);
    if (fn === undefined) {
      const code = typeof call.function === 'string' ? 'FUNCTION_NOT_FOUND' : 'BAD_REQUEST';
      response
        .status(400)
        .json({ error: { code, message: 'function must be one that /capabilities lists' } });
      return;
    }
    onCall(fn.name);
    const { input = {} } = call;
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      refuse('input must be an object');
    response.json({ output: polls[fn.name](input as never) });
  });
  app.use(router);
  app.use(((error, _request, response, next) => {
    if (response.headersSent) return next(error);
    const { status = 500, code = status < 500 ? 'BAD_REQUEST' : 'EXECUTION_ERROR' } = error;
    response.status(status).json({ error: { code, message: status < 500 ? error.message : 'failed' } });
  }) satisfies express.ErrorRequestHandler);
  app.use((_request, response) => {
    response.status(404).json({ error: { code: 'NOT_FOUND', message: 'Nothing here' } });
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const expressPolls: NaturalRecord = {
  name: 'express-polls',
  forms: ['A'],
  functions: FUNCTIONS.map(({ name }) => name),
  withoutExample: ['createPoll', 'openPolls'],
  changes: ['createPoll', 'answerPoll'],
  undecided: { A: [], B: [] },
  once: [],
  start,
};
