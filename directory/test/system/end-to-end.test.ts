import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Browser, Page } from 'playwright-core';
import { type RunningServer, startReferenceServer } from 'probity';
import type { ServerDetails, ServerRecord, TestResult } from 'probity/model';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { COMMAND, emptyFolder, runCommand } from '../../../test/cli/run-command.ts';
import { eventually } from '../../../test/eventually.ts';
import { startHttpSubject } from '../../../test/mcp/http-subject.ts';
import { startBrowser, whyNoBrowser } from '../../../test/set-up/browser.ts';
import { whyNoPostgres } from '../../../test/set-up/postgres-programs.ts';
import { unless } from '../../../test/set-up/skips.ts';
import { startPostgres, type TestPostgres } from '../db/stores.ts';

interface Found {
  readonly servers: readonly ServerRecord[];
  readonly pagination: { readonly total: number };
}

let postgres: TestPostgres;
let browser: Browser;
/** Serves the documents that listings name: a repository, documentation, an audit report. */
let web: Server;
let webUrl: string;
let formA: RunningServer;
let formB: RunningServer;

beforeAll(async () => {
  postgres = await startPostgres();
  browser = await startBrowser();
  web = createServer((_request, response) => response.end('what the listing promises')).listen(
    0,
    '127.0.0.1',
  );
  await once(web, 'listening');
  webUrl = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  formA = await startReferenceServer({ form: 'A' });
  formB = await startReferenceServer({ form: 'B' });
});
afterAll(async () => {
  await browser?.close();
  await formA?.close();
  await formB?.close();
  web?.close();
  await postgres?.stop();
});

const listingOf = (id: string, endpoint: string, rest: Record<string, unknown>) => ({
  listing: 'v1',
  id,
  tags: [],
  transport: ['http'],
  audited: false,
  openSource: true,
  repository: `${webUrl}/${id}`,
  documentation: `${webUrl}/${id}/docs`,
  endpoint,
  ...rest,
});

describe.each(['embedded', 'postgres'] as const)(
  'a directory end to end, on the %s store',
  unless(whyNoBrowser() ?? whyNoPostgres()),
  (kind) => {
    const folder = emptyFolder();
    let environment: Record<string, string>;
    let service: ChildProcess;
    let url: string;
    let key: string;

    const probity = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await runCommand(args, {
        isAlone: true,
        cwd: folder,
        env: environment,
      });
      if (code !== 0) throw new Error(`probity ${args.join(' ')} ended with ${code}:\n${stderr}`);
      return stdout;
    };
    const ask = async (route: string, body?: unknown) =>
      fetch(`${url}/v1${route}`, {
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
    const search = async (query: string): Promise<readonly string[]> => {
      const answer = await ask(`/servers/search?${query}`);
      expect([query, answer.status]).toEqual([query, 200]);
      const { servers, pagination } = (await answer.json()) as Found;
      expect(pagination.total).toBe(servers.length);
      return servers.map(({ id }) => id);
    };

    beforeEach(async () => {
      environment = kind === 'postgres' ? { DATABASE_URL: await postgres.database('end_to_end') } : {};
      service = spawn(
        process.execPath,
        [
          COMMAND,
          'directory',
          'serve',
          '--port',
          '0',
          '--allow-private',
          '--public-pages',
          '--log-level',
          'warn',
          '--timed-calls',
          '0',
        ],
        { cwd: folder, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const lines = createInterface({ input: service.stdout as NodeJS.ReadableStream });
      [url] = (await once(lines, 'line')) as [string];
      key = (await probity('directory', 'key', 'create', 'end to end')).trim();
    });
    afterEach(async () => {
      const ended = once(service, 'exit');
      service.kill('SIGTERM');
      expect((await ended)[0]).toBe(0);
    });

    it('adds, searches, tests, calls and shows servers of both forms', async () => {
      const listings = [
        listingOf('alpha', formA.url, {
          name: 'Alpha calculator',
          description: 'Adds and divides, in form A.',
          category: 'Mathematics',
          tags: ['numbers', 'reference'],
        }),
        listingOf('beta', formB.url, {
          name: 'Beta greeter',
          description: 'Greets people, in form B.',
          category: 'People',
          tags: ['greeting', 'reference'],
          audited: true,
          auditReport: { url: `${webUrl}/audit`, date: '2026-03-31', auditor: 'Example Auditors' },
        }),
      ];
      const file = path.join(folder, 'listings.ndjson');
      writeFileSync(file, listings.map((listing) => `${JSON.stringify(listing)}\n`).join(''));
      await probity('directory', 'add', file, '--allow-private');
      // The servers are shown after the service has tested them.
      for (const query of ['q=calculator', 'q=greeter'])
        await eventually(
          () => search(query),
          (ids) => ids.length === 1,
        );

      for (const [query, expected] of [
        ['', ['alpha', 'beta']],
        ['q=greets', ['beta']],
        ['q=calc+form', ['alpha']],
        ['category=mathematics', ['alpha']],
        ['tags=reference', ['alpha', 'beta']],
        ['tags=reference&tags=greeting', ['beta']],
        ['tags=reference,numbers', ['alpha']],
        ['transport=http', ['alpha', 'beta']],
        ['transport=websocket', []],
        ['minUptime=99', ['alpha', 'beta']],
        ['maxResponseTime=10000', ['alpha', 'beta']],
        ['maxResponseTime=0', []],
        ['audited=true', ['beta']],
        ['audited=false', ['alpha']],
        ['openSource=true', ['alpha', 'beta']],
        ['openSource=false', []],
        ['q=form&audited=true&category=people&tags[]=greeting&limit=1', ['beta']],
      ] as const)
        expect([query, await search(query)]).toEqual([query, expected]);

      const schema = JSON.parse(readFileSync('schemas/test-result.schema.json', 'utf8')) as object;
      const validate = new Ajv2020({ strict: false }).compile(schema);
      for (const id of ['alpha', 'beta']) {
        const tested = await ask(`/servers/${id}/test`, {});
        expect(tested.status).toBe(200);
        const result = (await tested.json()) as TestResult;
        expect([validate(result), validate.errors]).toEqual([true, null]);
        expect([result.verdict, result.listingDecision]).toEqual(['pass', 'list']);

        const details = (await (await ask(`/servers/${id}`)).json()) as ServerDetails;
        expect(details).toMatchObject({
          status: 'up',
          figures: 'observed',
          uptime: 100,
          listing: { decision: 'list' },
        });
        expect(details.lastResult?.id).toBe(result.id);
        expect(details.history.length).toBeGreaterThanOrEqual(2);

        const called = await ask(`/servers/${id}/execute`, { function: 'add', input: { a: 2, b: 3 } });
        expect([called.status, ((await called.json()) as { output: unknown }).output]).toEqual([
          200,
          { sum: 5 },
        ]);
        const unknown = await ask(`/servers/${id}/execute`, { function: 'subtract', input: {} });
        expect([unknown.status, ((await unknown.json()) as { code: string }).code]).toEqual([
          404,
          'function-not-found',
        ]);
      }

      const page = await browser.newPage();
      await expectPages(page, url);
      await page.close();

      await probity('directory', 'remove', 'alpha');
      expect(await search('')).toEqual(['beta']);
      expect((await ask('/servers/alpha')).status).toBe(404);
    });

    it('adds, finds, tests, calls and shows a server of the Model Context Protocol', async () => {
      const server = await startHttpSubject({ only: ['add'] });
      onTestFinished(server.close);
      const file = path.join(folder, 'mcp.ndjson');
      const listing = listingOf('adder', server.url, {
        protocol: 'mcp',
        name: 'Careful adder',
        description: 'Adds numbers, over streamable HTTP.',
        category: 'Mathematics',
      });
      const command = { ...listing, id: 'command', endpoint: 'npx -y example-server' };
      writeFileSync(file, `${JSON.stringify(listing)}\n${JSON.stringify(command)}\n`);
      await expect(probity('directory', 'add', file, '--allow-private')).rejects.toThrow(
        'A directory starts no commands.',
      );
      writeFileSync(file, `${JSON.stringify(listing)}\n`);
      await probity('directory', 'add', file, '--allow-private');
      await eventually(
        () => search('q=streamable'),
        (ids) => ids.length === 1,
      );

      const tested = (await (await ask('/servers/adder/test', {})).json()) as TestResult;
      const schema = JSON.parse(readFileSync('schemas/test-result.schema.json', 'utf8')) as object;
      expect(new Ajv2020({ strict: false }).compile(schema)(tested)).toBe(true);
      expect([tested.verdict, tested.listingDecision, tested.target.url]).toEqual([
        'pass',
        'list',
        server.url,
      ]);
      const called = await ask('/servers/adder/execute', { function: 'add', input: { a: 2, b: 3 } });
      expect([called.status, ((await called.json()) as { output: unknown }).output]).toEqual([
        200,
        { sum: 5 },
      ]);

      const page = await browser.newPage();
      onTestFinished(() => page.close());
      await page.goto(url);
      await page.locator('input[name=q]').fill('careful');
      await page.keyboard.press('Enter');
      await page.locator('.entry').getByText('Model Context Protocol').waitFor();
      await page.getByRole('link', { name: 'Careful adder' }).click();
      await page.locator('.endpoint').getByText(server.url).waitFor();
      await page.locator('#record').getByText('Model Context Protocol').waitFor();
      await page
        .locator('#functions')
        .getByText('Adds the numbers a and b.')
        .first()
        .waitFor({ state: 'attached' });
      await page.locator('#test .verdict.pass').waitFor({ state: 'attached' });
      expect(new URL(page.url()).pathname).toBe('/servers/adder');
    });
  },
);

async function expectPages(page: Page, url: string): Promise<void> {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  expect(await page.getByRole('link', { name: 'Alpha calculator' }).count()).toBe(1);
  await page.locator('input[name=q]').fill('greeter');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Beta greeter' }).click();
  expect(new URL(page.url()).pathname).toBe('/servers/beta');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Beta greeter');
  expect(errors).toEqual([]);
}
