import { afterEach, describe, expect, test } from 'vitest';
import { type Connection, head, listen, type RawServer } from './raw-server.ts';
import { answered, plan, probeWith, send, unanswered } from './send.ts';

const open: RawServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

const OK = `${head(200, { 'content-length': 2 })}{}`;

/** Answers every request with the same bytes, and then calls `then` with the connection. */
async function serving(bytes: string, then: (connection: Connection) => void = () => undefined) {
  const server = await listen((connection) => {
    connection.socket.on('data', () => {
      connection.socket.write(bytes, () => then(connection));
    });
  });
  open.push(server);
  return server;
}

const kept = { connection: 'kept' };

describe('a connection shared by two requests', () => {
  test('is used for both, and closed with the probe', async () => {
    const server = await serving(OK);
    const probe = probeWith();
    const first = answered(await probe.send(plan(server.url, kept)));
    const second = answered(await probe.send(plan(server.url, kept)));
    expect([first, second].map(({ connection }) => connection.reused)).toEqual([false, true]);
    expect(server.connections).toHaveLength(1);
    probe.close();
    await server.connections[0]?.gone;
  });

  test('is not used for requests with another connection name, or none', async () => {
    const server = await serving(OK);
    const probe = probeWith();
    for (const connection of ['one', 'two', null]) {
      const { connection: used } = answered(await probe.send(plan(server.url, { connection })));
      expect(used.reused).toBe(false);
    }
    expect(server.connections).toHaveLength(3);
    probe.close();
  });

  test.each([
    ['sends Connection: close', `${head(200, { 'content-length': 2, connection: 'close' })}{}`],
    ['sends close among other options', `${head(200, { 'content-length': 2, connection: 'x, Close' })}{}`],
    ['speaks HTTP/1.0', OK.replace('HTTP/1.1', 'HTTP/1.0')],
    ['sends excess bytes', `${OK}more`],
  ])('is closed if the server %s', async (_name, bytes) => {
    const server = await serving(bytes);
    const probe = probeWith();
    for (const _turn of [1, 2]) {
      expect(answered(await probe.send(plan(server.url, kept))).connection.reused).toBe(false);
    }
    expect(server.connections).toHaveLength(2);
    await server.connections[0]?.gone;
  });

  test('is kept in HTTP/1.0 if the server sends Keep-Alive', async () => {
    const server = await serving(
      `${head(200, { 'content-length': 2, connection: 'Keep-Alive' }).replace('1.1', '1.0')}{}`,
    );
    const probe = probeWith();
    await probe.send(plan(server.url, kept));
    expect(answered(await probe.send(plan(server.url, kept))).connection.reused).toBe(true);
    probe.close();
  });

  test.each<readonly [string, (connection: Connection) => void]>([
    ['closed', ({ socket }) => void socket.end()],
    ['reset', ({ socket }) => void socket.resetAndDestroy()],
  ])('is reopened if it was %s while idle', async (_name, then) => {
    const server = await serving(OK, then);
    const probe = probeWith();
    await probe.send(plan(server.url, kept));
    await server.connections[0]?.gone;
    // Once another connection is answered, this process has seen the end of the first one.
    await send((await serving(OK)).url);
    const { connection, response } = answered(await probe.send(plan(server.url, kept)));
    expect({ reused: connection.reused, status: response.status }).toEqual({ reused: false, status: 200 });
    probe.close();
  });

  test('times out as the server’s fault if the second request is not answered', async () => {
    let requests = 0;
    const server = await listen(({ socket }) => {
      socket.on('data', () => {
        requests += 1;
        if (requests === 1) socket.write(OK);
      });
    });
    open.push(server);
    const probe = probeWith();
    await probe.send(plan(server.url, kept));
    const { reason, timing } = unanswered(await probe.send(plan(server.url, { ...kept, timeoutMs: 250 })));
    expect(reason).toEqual({ code: 'timeout', fault: 'server', message: 'no answer within 0.25 s' });
    expect(timing.connectMs).toBeNull();
    await server.connections[0]?.gone;
  });

  test('is reopened if it is reset during the second request', async () => {
    let requests = 0;
    const server = await listen(({ socket }) => {
      socket.on('data', () => {
        requests += 1;
        if (requests === 2) socket.resetAndDestroy();
        else socket.write(OK);
      });
    });
    open.push(server);
    const probe = probeWith();
    await probe.send(plan(server.url, kept));
    expect(answered(await probe.send(plan(server.url, kept))).connection.reused).toBe(false);
    expect(requests).toBe(3);
    probe.close();
  });
});
