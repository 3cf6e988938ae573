import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../eventually.ts';
import { startBrokenServer, statusIsNumber } from '../broken-server.ts';
import { emptyFolder } from '../run-command.ts';
import { endWhatIsLeft, notedIds, serverToStart } from '../started.ts';
import { replace, startWatching } from '../watching.ts';

afterAll(endWhatIsLeft);

function suiteOf(status: number): string {
  return `suite: v1\nid: mine\ntitle: Mine\nsteps:\n  - id: one\n    request: { get: /health }\n    expect:\n      status: { is: ${status}, id: answers, level: MUST }\n`;
}

function listingOf(endpoint: string, more = ''): string {
  return `listing: v1\nid: mine\nendpoint: ${endpoint}\n${more}`;
}

describe('probity watch, after a change', () => {
  it('asks only for what is new when a suite changes, until the server offers something else', async () => {
    const cwd = emptyFolder();
    const suite = path.join(cwd, 'mine.suite.yaml');
    writeFileSync(suite, suiteOf(200));
    const server = await startBrokenServer();
    onTestFinished(server.close);
    const watching = startWatching([server.url, '--suite', suite], cwd);
    await until(() => watching.times('waiting:') === 1);
    const first = server.requests();
    replace(suite, suiteOf(204));
    await until(() => watching.times('waiting:') === 2);
    // The lists, and the request of the changed suite.
    expect(server.requests() - first).toBeLessThan(6);
    expect(watching.printed()).toMatch(/WORSE {2}mine\/answers {2}passed → failed/);
    server.breakSo((place, body) =>
      place === '/capabilities' ? body.replace('"version":"1.0.0"', '"version":"2.0.0"') : body,
    );
    replace(suite, suiteOf(200));
    await until(() => watching.times('waiting:') === 3);
    expect(watching.printed()).toContain('does not offer the same contract as before');
    expect(server.requests() - first).toBeGreaterThan(first);
    watching.write('q\n');
    expect(await watching.finished).toBe(0);
  });

  it('asks everything again after somebody restarted the server, and says when nobody answers', async () => {
    const cwd = emptyFolder();
    const suite = path.join(cwd, 'mine.suite.yaml');
    writeFileSync(suite, suiteOf(200));
    const server = await startBrokenServer();
    onTestFinished(server.close);
    const watching = startWatching([server.url, '--suite', suite], cwd);
    await until(() => watching.times('waiting:') === 1);
    const first = server.requests();
    const restartedMs = Date.now();
    server.breakSo((place, body) =>
      place === '/health'
        ? JSON.stringify({
            ...(JSON.parse(body) as object),
            status: 200,
            uptime: (Date.now() - restartedMs) / 1000,
          })
        : body,
    );
    replace(suite, suiteOf(201));
    await until(() => watching.times('waiting:') === 2);
    expect(watching.printed()).toContain('the server was restarted after the last check');
    expect(watching.printed()).toMatch(/WORSE {2}health\/status-string {2}passed → failed/);
    expect(server.requests() - first).toBeGreaterThan(first);
    server.close();
    replace(suite, suiteOf(200));
    await until(() => watching.times('waiting:') === 3);
    expect(watching.printed()).toContain('cannot be reached any longer');
    expect(watching.printed()).not.toContain('does not offer the same contract');
    watching.write('q\n');
    expect(await watching.finished).toBe(3);
  });

  it('asks everything again when more than a suite changed since the last result', async () => {
    const cwd = emptyFolder();
    const [suite, source] = [path.join(cwd, 'mine.suite.yaml'), path.join(cwd, 'server.js')];
    writeFileSync(suite, suiteOf(200));
    writeFileSync(source, '1');
    const server = await startBrokenServer();
    onTestFinished(server.close);
    const watching = startWatching([server.url, '--suite', suite, '--watch', source], cwd);
    await until(() => watching.times('waiting:') === 1);
    // The server changed too, but the mistake in the suite keeps the first check from seeing it.
    server.breakSo(statusIsNumber);
    replace(suite, 'suite: v1\nid: [\n');
    replace(source, '2');
    await until(() => watching.times('not valid YAML') > 0 && watching.printed().includes('server.js\n'));
    await until(() => watching.printed().trimEnd().endsWith('q quits'));
    replace(suite, suiteOf(200));
    await until(() => watching.times('Since the last check:') === 1);
    expect(watching.printed()).toMatch(/WORSE {2}health\/status-string {2}passed → failed/);
    watching.write('q\n');
    expect(await watching.finished).toBe(1);
  });

  it('asks everything again when the listing names another server, another input or another key', async () => {
    const cwd = emptyFolder();
    const listing = path.join(cwd, 'l.yaml');
    const [server, other] = [await startBrokenServer(), await startBrokenServer(statusIsNumber)];
    onTestFinished(server.close);
    onTestFinished(other.close);
    writeFileSync(listing, listingOf(server.url));
    const watching = startWatching(['--listing', listing], cwd, { env: { PROBITY_TARGET_MINE: 'the-key' } });
    await until(() => watching.times('waiting:') === 1);
    replace(listing, listingOf(other.url));
    await until(() => watching.times('waiting:') === 2);
    expect(watching.printed()).toContain(
      'the target is another one than before, so everything is asked again',
    );
    expect(watching.printed()).toMatch(/WORSE {2}health\/status-string {2}passed → failed/);
    const samples = 'samples:\n  greet: { input: { name: Grace } }\n';
    replace(listing, listingOf(other.url, samples));
    await until(() => watching.times('waiting:') === 3);
    expect(watching.printed()).toContain('the samples are other ones than before');
    replace(listing, listingOf(other.url, `${samples}bearerEnv: PROBITY_TARGET_MINE\n`));
    await until(() => watching.times('waiting:') === 4);
    expect(watching.printed()).toContain('another variable than before holds the key');
    expect(watching.times('so everything is asked again')).toBe(3);
    watching.write('q\n');
    expect(await watching.finished).toBe(1);
  });

  it('says how many answers are of the check before, and once that the server of both ended', async () => {
    const { cwd, port, url, command } = await serverToStart();
    const suite = path.join(cwd, 'mine.suite.yaml');
    writeFileSync(suite, suiteOf(200));
    const library = JSON.stringify(pathToFileURL(path.resolve('dist/index.js')));
    writeFileSync(
      path.join(cwd, 'server.mjs'),
      `import { appendFileSync } from 'node:fs';
import { startReferenceServer } from ${library};
appendFileSync('ids', process.pid + '\\n');
await startReferenceServer({ form: 'B', port: ${port} });
`,
    );
    const watching = startWatching([url, '--suite', suite, '--start', command], cwd);
    await until(() => watching.times('waiting:') === 1);
    expect(watching.printed()).not.toContain('of an earlier check');
    for (const [status, count] of [
      [204, 2],
      [200, 3],
    ] as const) {
      replace(suite, suiteOf(status));
      await until(() => watching.times('waiting:') === count);
    }
    expect(watching.printed()).toMatch(
      /\n\d+ of \d+ answers are of an earlier check, and were not asked for again; press r to ask for all of them\n/,
    );
    expect(watching.times('press r')).toBe(2);
    const [id = 0] = notedIds(cwd);
    process.kill(id, 'SIGKILL');
    await until(() => watching.printed().includes('last output of the started server'));
    watching.write('q\n');
    await watching.finished;
    expect(watching.times('The started server ended')).toBe(1);
  });

  it.each([
    ['--bail', 'did not decide health/uptime-seconds, because --bail ended it'],
    ['--skip=health/uptime-monotonic', 'did not decide health/uptime-monotonic, so'],
  ])('says after %s why nothing shows that the server is the same', async (flag, reason) => {
    const cwd = emptyFolder();
    const suite = path.join(cwd, 'mine.suite.yaml');
    writeFileSync(suite, suiteOf(200));
    const server = await startBrokenServer(statusIsNumber);
    onTestFinished(server.close);
    const watching = startWatching([server.url, '--suite', suite, flag], cwd);
    await until(() => watching.times('waiting:') === 1);
    replace(suite, suiteOf(204));
    await until(() => watching.times('waiting:') === 2);
    expect(watching.printed()).toContain(
      `nothing shows whether the server was restarted: the last check ${reason}`,
    );
    watching.write('q\n');
    await watching.finished;
  });

  it('says when the uptime does not meet its requirements', async () => {
    const cwd = emptyFolder();
    const suite = path.join(cwd, 'mine.suite.yaml');
    writeFileSync(suite, suiteOf(200));
    const server = await startBrokenServer((place, body) =>
      place === '/health' ? JSON.stringify({ ...(JSON.parse(body) as object), uptime: 'long' }) : body,
    );
    onTestFinished(server.close);
    const watching = startWatching([server.url, '--suite', suite], cwd);
    await until(() => watching.times('waiting:') === 1);
    replace(suite, suiteOf(204));
    await until(() => watching.times('waiting:') === 2);
    expect(watching.printed()).toContain(
      'restarted: /health reports no uptime that is a number, so everything',
    );
    watching.write('q\n');
    await watching.finished;
  });
});
