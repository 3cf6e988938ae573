import { rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../../test/cli/run-command.ts';
import { eventually } from '../../../test/eventually.ts';
import { whyNoPostgres } from '../../../test/set-up/postgres-programs.ts';
import { unless } from '../../../test/set-up/skips.ts';
import { startOn } from '../../src/cli/work-flags.ts';
import { openStore } from '../../src/db/open-store.ts';
import { isStoreAway, storeAwayError } from '../../src/db/store-away.ts';
import { startDirectory } from '../directory-under-test.ts';
import { listingOf } from '../entries/listings.ts';
import { startService } from '../service-process.ts';
import { freshDataFolder, startPostgres, type TestPostgres } from './stores.ts';

it('ends the service with what happened when the data folder is removed', async () => {
  const folder = await freshDataFolder();
  const service = startService({ data: folder, databaseUrl: null, more: ['--log-level', 'silent'] });
  onTestFinished(() => service.kill());
  await service.url;
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  expect(await service.ended).toBe(2);
  expect(service.printed()).toContain(`The data folder ${folder} was removed or replaced`);
  expect(service.printed()).not.toContain('fault of probity');
});

it('ends a service that is still starting when its data folder is removed', async () => {
  const folder = await freshDataFolder();
  const store = await openStore({ databaseUrl: null, dataFolder: folder, share: false });
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  await expect(startOn(store, () => new Promise(() => undefined))).rejects.toThrow(
    `restore a backup into it with \`probity directory restore FILE --data ${folder}\``,
  );
});

it('is told by commands beside a service that does not answer, and by the doctor with what it found', async () => {
  const folder = await freshDataFolder();
  const service = startService({ data: folder, databaseUrl: null, more: ['--log-level', 'silent'] });
  onTestFinished(async () => {
    await service.kill();
    await rm(folder, { recursive: true, force: true });
  });
  await service.url;
  process.kill(service.pid, 'SIGSTOP');
  const env = { DATABASE_URL: '' };
  const [list, doctor] = await Promise.all([
    runCommand(['directory', 'list', '--data', folder], { env }),
    runCommand(['directory', 'doctor', '--no-network', '--data', folder], { env }),
  ]);
  expect([list.code, list.stderr]).toEqual([
    2,
    expect.stringMatching(/^The store of the directory does not answer: .* run the command again/),
  ]);
  expect([doctor.code, doctor.stderr]).toEqual([1, '']);
  expect(doctor.stdout).toMatch(new RegExp(`^ok +lock +process ${service.pid} uses the data folder`, 'm'));
  expect(doctor.stdout).toMatch(/^problem +store .*\n +The store of the directory does not answer/m);
});

describe('a PostgreSQL server that is away', unless(whyNoPostgres()), () => {
  let postgres: TestPostgres;
  afterAll(() => postgres?.stop());

  it('is a 503 with the time of a retry everywhere, until it is back', async () => {
    postgres = await startPostgres();
    const real = new URL(await postgres.database('away'));
    const way = await startWay({ host: real.hostname, port: Number(real.port) });
    onTestFinished(way.close);
    const databaseUrl = Object.assign(new URL(real.href), { port: String(way.port) }).href;
    const directory = await startDirectory({ databaseUrl, publicPages: true });
    onTestFinished(directory.stop);
    await directory.list('served', 'https://served.example');
    const ask = () =>
      Promise.all([
        directory.ask('/v1/servers/served'),
        directory.ask('/v1/servers/search?q=served'),
        directory.ask('/v1/changes'),
        directory.test('served'),
        directory.ask('/servers/served', { headers: { accept: 'text/html' } }),
        directory.ask('/readyz'),
      ]);
    way.cut();
    for (const answer of await ask()) {
      expect([answer.url, answer.status]).toEqual([answer.url, 503]);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(await answer.text()).not.toContain('request id to its operator');
    }
    const called = await directory.execute('served', { function: 'f', input: {} });
    expect(called).toMatchObject({ status: 503, body: { called: false, retryAfterSeconds: 5 } });
    await way.open();
    await eventually(
      () => directory.ask('/v1/servers/served'),
      ({ status }) => status === 200,
    );
    await directory.add(listingOf('later', 'https://later.example'));
    expect((await directory.details('later')).listing.decision).toBe('hold');
  });
});

it('is told from other failures', () => {
  const failed = (parts: object, message = 'x') => Object.assign(new Error(message), parts);
  for (const error of [
    failed({ code: 'ECONNREFUSED', syscall: 'connect' }),
    failed({ code: '57P01' }),
    failed({ code: '53100' }, 'could not extend file'),
    failed({ code: '58P01' }, 'could not open file "base/5/3467": No such file or directory'),
    failed({}, 'Connection terminated unexpectedly'),
    new AggregateError([failed({ code: 'ECONNREFUSED' })]),
  ]) {
    expect(isStoreAway(error)).toBe(true);
    expect(String(storeAwayError(error))).toContain('run the command again');
  }
  for (const error of [failed({ code: 'ENOENT', syscall: 'open' }), failed({ code: '23505' }), failed({})])
    expect(storeAwayError(error)).toBe(error);
});

/** A way to a server that can be cut, and opened again at the same port. */
async function startWay(to: { readonly host: string; readonly port: number }) {
  const sockets = new Set<Socket>();
  let server: Server;
  const listen = (port: number): Promise<number> =>
    new Promise((resolve) => {
      server = createServer((socket) => {
        const other = connect(to);
        for (const one of [socket, other]) {
          sockets.add(one);
          one.on('error', () => undefined).on('close', () => sockets.delete(one));
        }
        socket.pipe(other).pipe(socket);
      }).listen(port, '127.0.0.1', () => resolve((server.address() as { readonly port: number }).port));
    });
  const port = await listen(0);
  const cut = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    cut,
    open: () => listen(port),
    close: async () => cut(),
  };
}
