import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startReferenceServer } from '../../../src/reference/server.ts';
import { startHttpSubject } from '../../mcp/http-subject.ts';
import { SUBJECT } from '../../mcp/subject-options.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const closers: (() => unknown)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

interface Answering {
  readonly url: string;
  /** Method and path of each request, and of a message its method. */
  readonly requests: readonly string[];
}

async function answering(answer: RequestListener): Promise<Answering> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    request.resume();
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const status =
  (code: number, text = ''): RequestListener =>
  (_, response) =>
    void response.writeHead(code, { 'content-type': 'text/plain' }).end(text);

/** Passes each request on to the server at this address. */
const answeredBy =
  (base: string): RequestListener =>
  async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', headers } = request;
    const { host: _host, connection: _connection, ...others } = headers;
    const answer = await fetch(base + request.url, {
      method,
      headers: others as Record<string, string>,
      ...(method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
    });
    const kept = ['content-type', 'mcp-session-id'].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    response.writeHead(answer.status, Object.fromEntries(kept));
    response.end(Buffer.from(await answer.arrayBuffer()));
  };

const QUICK = ['--no-latency', '--timeout', '60', '--deadline', '600'];
const COMMAND_LINE = `"${process.execPath}" "${SUBJECT}" '${JSON.stringify({ only: ['add'] })}'`;

async function endpoint(): Promise<string> {
  const { url, close } = await startHttpSubject({ only: ['add'] });
  closers.push(close);
  return url;
}

// Mostly they wait for processes.
describe.concurrent('a target is found out', () => {
  it('to have the three endpoints, without a request more', async () => {
    const reference = await startReferenceServer({ form: 'B' });
    closers.push(() => reference.close());
    const inFront = async (...args: readonly string[]): Promise<readonly string[]> => {
      const { url, requests } = await answering(answeredBy(reference.url));
      const only = ['--only', 'health/*,capabilities/*', '--seed', '1', ...QUICK];
      const { code } = await runCommand(['check', url, ...only, ...args]);
      expect(code).toBe(0);
      return requests.toSorted();
    };
    expect(await inFront()).toEqual(await inFront('--wire', 'rest'));
  });

  it.each([['check'], ['watch'], ['fuzz', '--calls', '20', '--duration', '600']])(
    'to be an endpoint of the Model Context Protocol by probity %s',
    async (name, ...args) => {
      const url = await endpoint();
      const quick = name === 'check' ? QUICK : ['--timeout', '60'];
      const { code, stdout, stderr } = await runCommand([name, url, ...quick, ...args]);
      expect(stderr).toContain(`${url} is an endpoint of the Model Context Protocol\n`);
      expect(stderr.match(/^(?:checking|calling) /gm)).toHaveLength(1);
      expect(stdout).toMatch(/^PASS /m);
      expect(code).toBe(0);
    },
  );

  it('to be an endpoint that answers every GET with a stream that stays open', async () => {
    const behind = answeredBy(new URL(await endpoint()).origin);
    const { url } = await answering((request, response) =>
      request.method === 'GET'
        ? response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        : behind(request, response),
    );
    const { code, stdout } = await runCommand(['check', `${url}/mcp`, ...QUICK]);
    expect(stdout).toMatch(/^PASS /m);
    expect(code).toBe(0);
  });

  it.each([
    ['--only', 'mcp/ping-answered'],
    ['--only', 'mcp/ping-answered,inputs/valid-answered'],
    ['--skip', 'mcp/http-origin'],
  ])('whatever requirements of its protocol are chosen: %s %s', async (...chosen) => {
    const { code, stdout, stderr } = await runCommand(['check', await endpoint(), ...chosen, ...QUICK]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('unknown') });
    expect(stdout).toMatch(/^PASS /m);
  });

  it('to have three endpoints, of which no requirement of MCP is decided', async () => {
    const reference = await startReferenceServer({ form: 'B' });
    closers.push(() => reference.close());
    const args = ['check', reference.url, '--only', 'mcp/*', '--wire', 'rest', ...QUICK];
    const { code, stderr } = await runCommand(args);
    expect(stderr).toContain('--only mcp/*: only for servers of the Model Context Protocol.');
    expect(code).toBe(2);
  });

  it('by init, plan and bench too', async () => {
    const url = await endpoint();
    const cwd = emptyFolder();
    const init = await runCommand(['init', url], { cwd });
    expect(init.stderr).toContain(`Then: probity check ${url}`);
    expect(readFileSync(path.join(cwd, 'probity.listing.yaml'), 'utf8')).toContain('protocol: mcp');
    const plan = await runCommand(['plan', url]);
    expect(plan).toMatchObject({ code: 0, stdout: expect.stringContaining('mcp-http/') });
    const bench = await runCommand(['bench', url, '--requests', '5', '--connections', '1', '--warm-up', '0']);
    expect(bench.stderr).toContain(`putting ${url} under load`);
    expect(bench.stdout).toContain('health');
  });

  it('to be a command: several words, or a program', async () => {
    const { code, stderr, stdout } = await runCommand(['check', COMMAND_LINE, ...QUICK]);
    expect(stderr).toContain('checking ');
    expect(stdout).toMatch(/^PASS /m);
    expect(code).toBe(0);
    const cwd = emptyFolder();
    const script = path.join(cwd, 'server');
    writeFileSync(script, `#!/bin/sh\nexec ${COMMAND_LINE}\n`, { mode: 0o755 });
    const alone = await runCommand(['check', './server', '--only', 'mcp/ping-answered', ...QUICK], { cwd });
    expect(alone).toMatchObject({ code: 0, stderr: expect.stringContaining('checking ./server') });
    const word = await runCommand(['check', 'localhost:3000']);
    expect(word).toMatchObject({ code: 2, stderr: expect.stringContaining('http://localhost:3000') });
  });

  it.each([
    'http:/127.0.0.1:1/a;touch${IFS}ran',
    'http:127.0.0.1:1;touch${IFS}ran',
    'http:\\\\127.0.0.1:1;touch${IFS}ran',
  ])('never runs a mistyped address: %s', async (target) => {
    const cwd = emptyFolder();
    for (const args of [
      ['check', target],
      ['check', '--mcp', target],
      ['send', target, '{"method":"ping"}'],
    ]) {
      const { code } = await runCommand([...args, ...(args[0] === 'send' ? [] : QUICK)], { cwd });
      expect([2, 3]).toContain(code);
      expect(readdirSync(cwd)).not.toContain('ran');
    }
  });

  it('runs a program whose path has a space, and no other', async () => {
    const cwd = emptyFolder();
    for (const [name, touched] of [
      ['my', 'other'],
      ['my server.sh', 'this'],
    ] as const) {
      writeFileSync(path.join(cwd, name), `#!/bin/sh\ntouch ${touched}\n`);
      chmodSync(path.join(cwd, name), 0o755);
    }
    await runCommand(['check', './my server.sh', ...QUICK], { cwd });
    expect(readdirSync(cwd)).toContain('this');
    expect(readdirSync(cwd)).not.toContain('other');
  });

  it('takes JSON-RPC that knows neither message of the protocol for neither kind', async () => {
    const error = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } };
    const body = JSON.stringify(error);
    const { url } = await answering((request, response) => {
      if (request.method !== 'POST') return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    const { code, stderr } = await runCommand(['check', `${url}/rpc`, ...QUICK]);
    expect(code).toBe(2);
    expect(stderr).toContain('neither as a server with /health');
  });

  it('asks an endpoint beside which every other path redirects', async () => {
    const server = await startHttpSubject({
      only: ['add'],
      intercept: ({ url }) => (url === '/mcp' ? null : { status: 302, headers: { location: '/login' } }),
    });
    closers.push(server.close);
    const { stdout } = await runCommand(['check', server.url, ...QUICK]);
    expect(stdout).toMatch(/^PASS /m);
  });

  it('asks an address that is neither once, and says what it was asked and what came', async () => {
    const { url, requests } = await answering(status(404));
    const { code, stdout, stderr } = await runCommand(['check', `${url}/api`, ...QUICK]);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('neither as a server with /health, /capabilities and /execute nor as one of');
    for (const read of ['GET /health', 'GET /capabilities', 'POST server/discover'])
      expect(stderr).toContain(`${read}: status 404`);
    expect(stderr).toContain('--wire rest or --wire mcp');
    expect(requests.filter((one) => one.endsWith(' /api'))).toEqual(['POST /api', 'POST /api', 'GET /api']);
    const rest = await runCommand(['check', `${url}/api`, '--wire', 'rest', ...QUICK]);
    expect(rest.stdout).toMatch(/^FAIL /m);
    expect(rest.code).toBe(1);
    const mcp = await runCommand(['check', `${url}/api`, '--wire', 'mcp', ...QUICK]);
    expect(mcp).toMatchObject({ code: 1, stdout: expect.stringContaining('status 404') });
  });

  it.each([['fuzz', '--duration', '1'], ['plan']])(
    'says the same in a run that reads only the list: %s',
    async (...args) => {
      const { url, requests } = await answering(status(404));
      const { code, stderr } = await runCommand([...args, url]);
      expect(stderr).toContain('neither as a server with /health, /capabilities and /execute nor as one of');
      expect(stderr).toContain('GET /capabilities: status 404');
      expect(requests).not.toContain('GET /health');
      expect(code).toBe(2);
    },
  );

  it('keeps a server that turns everybody away, and one in trouble, what they were', async () => {
    const gated = await answering(status(401));
    const turned = await runCommand(['check', gated.url, ...QUICK]);
    expect(turned.stderr).toContain('Nothing shows what kind of server');
    expect(turned.code).toBe(4);
    expect(gated.requests.filter((one) => one === 'POST /')).toHaveLength(1);
    const broken = await answering(status(500));
    expect(await runCommand(['check', broken.url, ...QUICK])).toMatchObject({ code: 1 });
    expect(broken.requests).not.toContain('POST /');
  });

  it('sends no message to a server that gets only GET requests', async () => {
    const { url, requests } = await answering(status(404));
    await runCommand(['check', url, '--read-only', ...QUICK]);
    expect(requests.filter((one) => !one.startsWith('GET '))).toEqual([]);
  });

  it.each([
    [['--wire', 'rest', '--mcp', 'node x'], '--mcp and --wire rest contradict each other'],
    [['node x.js', '--wire', 'rest'], 'is a command, and --wire rest is for a base address'],
    [['node x.js', '--start', 'node y.js'], '--start cannot be combined with a server of the Model'],
    [['http://127.0.0.1:1/mcp', '--wire', 'soap'], 'Allowed choices are rest, mcp'],
  ])('refuses %j', async (args, words) => {
    const { code, stderr } = await runCommand(['check', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
});
