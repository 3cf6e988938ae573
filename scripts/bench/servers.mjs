// The servers that loads are offered to. All are on the loopback, in processes of their own.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { commandPath, endProcess, forkScript, startProcess } from './children.mjs';

const DELAY_SERVER = fileURLToPath(import.meta.resolve('./delay-server.mjs'));
const READY_WITHIN_MS = 5000;

/** A server with a known delay for each of the names, as delays.mjs knows them. */
export async function startDelayServer(names) {
  const child = forkScript(DELAY_SERVER, names);
  const [urls] = await once(child, 'message');
  const ask = async (wanted) => {
    child.send(wanted);
    const [answer] = await once(child, 'message');
    return answer;
  };
  return {
    urls,
    /** Forgets the log; periods begin anew. */
    reset: () => ask('reset'),
    log: () => ask('log'),
    close: () => endProcess(child),
  };
}

/** The fastest server there is: nginx with one worker, or one of our own that writes the same few bytes. */
export async function startFastServer() {
  const nginx = commandPath('nginx');
  if (nginx === null) {
    const server = await startDelayServer(['none']);
    return {
      name: 'a raw Node.js server (nginx is not installed)',
      url: server.urls.none,
      close: server.close,
    };
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-bench-nginx-'));
  const port = await freePort();
  writeFileSync(path.join(folder, 'nginx.conf'), nginxConfiguration(port, folder));
  const child = startProcess(nginx, ['-p', folder, '-e', 'stderr', '-c', path.join(folder, 'nginx.conf')]);
  const close = async () => {
    await endProcess(child);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await untilListening(port);
  return { name: 'nginx', url: `http://127.0.0.1:${port}`, close };
}

/** One process, without a master, so that ending it by its pid ends all of it. */
function nginxConfiguration(port, folder) {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return `
daemon off; master_process off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 300s; default_type application/json;
  ${folders.join(' ')}
  server { listen 127.0.0.1:${port}; location / { return 200 '{"status":"ok"}'; } }
}
`;
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function untilListening(port) {
  const untilMs = performance.now() + READY_WITHIN_MS;
  while (performance.now() < untilMs) {
    const socket = net.connect(port, '127.0.0.1');
    const answered = await once(socket, 'connect').catch(() => null);
    socket.destroy();
    if (answered !== null) return;
    await sleep(20);
  }
  throw new Error(`nothing listens on port ${port} after ${READY_WITHIN_MS / 1000} s`);
}
