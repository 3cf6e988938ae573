import { workerData } from 'node:worker_threads';
import { createRedactor } from '../../../src/probe/redactor.ts';
import { ProcessConversation } from '../../../src/probe/stdio/process-conversation.ts';
import { systemClock } from '../../../src/probe/system-clock.ts';

new ProcessConversation({
  name: 'in a thread',
  command: workerData as readonly [string, ...string[]],
  env: {},
  cwd: null,
  redactor: createRedactor([]),
  clock: systemClock,
});
