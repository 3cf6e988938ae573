// The server over standard input and output: node stdio-subject.mjs '{"noise":true}'
import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
// biome-ignore lint/correctness/useImportExtensions: Node.js runs this file without a build
import { createSubject } from './subject-tools.mjs';

const {
  noise = false,
  stubborn = false,
  escaping = false,
  idFile = null,
  callFile = null,
  fragile = false,
  lingering = false,
  deafTo = null,
  ends = null,
  ...options
} = JSON.parse(process.argv[2] ?? '{}');
const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const answer = createSubject({ ...options, endProcess: () => process.exit(3) }, write);

if (stubborn) {
  // Neither a closed input nor SIGTERM ends it, and it has a child in another group.
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 60_000);
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 60000)'], {
    detached: true,
    stdio: 'ignore',
  });
  writeFileSync(idFile, `${process.pid} ${child.pid}`);
} else if (idFile !== null) appendFileSync(idFile, `${process.pid}\n`);
if (escaping) {
  // Nothing connects it with this process, except that it holds its streams.
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 60000)'], {
    detached: true,
    stdio: 'inherit',
    env: {},
  });
  child.unref();
  writeFileSync(idFile, `${child.pid}`);
}
if (noise) process.stdout.write('starting …\n{"half":\n\n[1]\n"text"\n');
process.stderr.write(`serving, with ${process.env.SUBJECT_KEY ?? 'no key'}\n`);

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = parsed(line);
  if (message === null) {
    if (fragile) process.exit(1);
    write({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'this is no JSON' } });
    continue;
  }
  const { method, params } = message;
  if (method === deafTo) continue;
  if (method === ends) process.exit(3);
  if (callFile !== null && method === 'tools/call') appendFileSync(callFile, `${params.arguments.a}\n`);
  void answer(message).then((answered) => {
    if (noise) process.stdout.write('debug: a call\n');
    if (answered !== null) write(answered.answer);
  });
}
if (lingering) setInterval(() => undefined, 60_000);
else if (!stubborn) process.exit(0);
