// The servers under load. All use the loopback interface and run in separate processes.
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

/** A server with a port for each of the delays, which delays.mjs describes. */
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
    /** Clears the log and restarts the periods. */
    reset: () => ask('reset'),
    log: () => ask('log'),
    close: () => endProcess(child),
  };
}

/** The fastest available server: nginx with one worker, or our own server that writes the same few bytes. */
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

/** One process without a master, so that ending it by its pid ends everything. */
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
