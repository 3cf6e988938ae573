import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../free-port.ts';
import { emptyFolder } from './run-command.ts';

/**
 * A server for --start. It records the ids of its processes and behaves as MODE requires: `deaf` to SIGTERM, with a
 * `daemon` that left its group, with a child that also has no environment and holds its output (`escaping`), with one
 * that only has no environment, and ends at once (`background`), after its first answer it is `silent`, answers 500
 * (`failing`), or ends (`dying`).
 */
const SERVER = `
import http from 'node:http';
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
const mode = process.env.MODE ?? '';
const note = (id) => appendFileSync('ids', id + '\\n');
note(process.pid);
if (mode.includes('deaf')) process.on('SIGTERM', () => undefined);
if (mode.includes('daemon')) {
  const daemon = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1e6)'], { detached: true, stdio: 'ignore' });
  daemon.unref();
  note(daemon.pid);
}
if (mode.includes('escaping') || mode.includes('background')) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1e6)'], {
    detached: mode.includes('escaping'), env: {}, stdio: ['ignore', 'inherit', 'inherit'],
  });
  child.unref();
  note(child.pid);
  if (mode.includes('background')) process.exit(0);
}
let count = 0;
http.createServer((request, response) => {
  count += 1;
  console.log('received ' + request.url);
  if (count > 1 && mode.includes('dying')) process.exit(9);
  if (count > 1 && mode.includes('silent')) return;
  response.writeHead(count > 1 && mode.includes('failing') ? 500 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ status: 'ok', uptime: count, timestamp: new Date().toISOString() }));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

export interface ToStart {
  readonly cwd: string;
  readonly port: number;
  readonly url: string;
  readonly command: string;
}

const folders: string[] = [];

/** Ends the processes that a failed test left running. */
export function endWhatIsLeft(): void {
  for (const id of folders.flatMap(runningIds)) process.kill(id, 'SIGKILL');
}

export async function serverToStart(): Promise<ToStart> {
  const cwd = emptyFolder();
  folders.push(cwd);
  writeFileSync(path.join(cwd, 'server.mjs'), SERVER);
  writeFileSync(path.join(cwd, 'ids'), '');
  const port = await freePort();
  return { cwd, port, url: `http://127.0.0.1:${port}`, command: `"${process.execPath}" server.mjs` };
}

export function notedIds(cwd: string): readonly number[] {
  return readFileSync(path.join(cwd, 'ids'), 'utf8').split('\n').filter(Boolean).map(Number);
}

export function runningIds(cwd: string): readonly number[] {
  return notedIds(cwd).filter(isRunning);
}

/** The process that ends this process of a started command when Probity no longer can. */
export function supervisorOf(id: number): number {
  const marks = /PROBITY_START_ID=([^\0]*)/.exec(readFileSync(`/proc/${id}/environ`, 'utf8'))?.[1];
  const mark = marks?.split(',').at(-1) ?? '';
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isSupervisor(name, mark));
  if (mark === '' || found.length !== 1) throw new Error(`${found.length} supervisors of process ${id}`);
  return Number(found[0]);
}

function isSupervisor(id: string, mark: string): boolean {
  try {
    const words = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0');
    return words.includes(mark) && words.some((word) => word.endsWith('supervisor.js'));
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

export function isRunning(id: number): boolean {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    // A zombie that a container’s first process never collects no longer runs.
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
