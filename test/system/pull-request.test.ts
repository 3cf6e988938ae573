import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startReferenceServer } from '../../src/reference/server.ts';
import { type Comment, type FakeGithub, JOB_TOKEN, startFakeGithub } from '../action/fake-github.ts';
import { type ActionRun, emptyWorkspace, ROOT, runAction } from '../action/run-action.ts';

const HEALTH_ONLY = '--only=health/*';
const FORMATS = 'markdown,github';
const PROBITY = path.join(ROOT, 'dist/probity.js');
const MARKER = '<!-- probity: check -->';
const PULL = { pull_request: { number: 7, head: { sha: 'c0ffee0c0ffee' } } };
const FOOTER =
  '<sub>Commit c0ffee0c0ffee, [job with all reports](https://github.test/acme/weather/actions/runs/9)</sub>\n';
const HOSTILE = 'down @everyone #123 GH-7 <img src=x> --> <!-- probity: check -->';

let reference: RunningServer;
let broken: http.Server;
let brokenUrl: string;

beforeAll(async () => {
  reference = await startReferenceServer({ form: 'B' });
  broken = http.createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status: HOSTILE, uptime: 5, timestamp: new Date().toISOString() }));
  });
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
  brokenUrl = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await reference.close();
  broken.close();
});

/** The action in a workspace where a check of the base branch has left its report in `base/reports/`. */
async function afterBase(url: string): Promise<string> {
  const workspace = emptyWorkspace();
  const { log, outputs } = await runAction(
    { url, formats: 'json', args: HEALTH_ONLY, reports: 'base/reports' },
    { workspace },
  );
  expect(outputs.report, log).toBe('base/reports/probity.json');
  return workspace;
}

describe('the report of the base branch', () => {
  it('is compared, and the change is in the summary and in a file', async () => {
    const workspace = await afterBase(reference.url);
    const inputs = { url: brokenUrl, formats: FORMATS, args: HEALTH_ONLY, base: 'base' };
    const { code, log, summary, outputs } = await runAction(inputs, { workspace });
    expect(code, log).toBe(1);
    expect(outputs).toMatchObject({ worse: 'true', diff: 'probity-reports/probity.diff.md' });
    const diff = readFileSync(path.join(workspace, outputs.diff ?? ''), 'utf8');
    expect(diff).toContain('health/operational');
    expect(summary.startsWith(diff)).toBe(true);
    expect(summary).toContain('## ❌ Probity: FAIL');
  });

  it('decides the exit code only if the input says so', async () => {
    const workspace = await afterBase(reference.url);
    const baseline = path.join(workspace, 'accepted.yaml');
    const failing = { url: brokenUrl, formats: 'json', args: HEALTH_ONLY };
    const first = await runAction(failing, { workspace });
    expect(first.code).toBe(1);
    const report = path.join(workspace, first.outputs.report ?? '');
    execFileSync(process.execPath, [PROBITY, 'baseline', report, `--output=${baseline}`]);
    const inputs = { ...failing, baseline, base: 'base/reports/probity.json' };
    const reported = await runAction(inputs, { workspace });
    expect(reported.code, reported.log).toBe(0);
    expect(reported.outputs).toMatchObject({ verdict: 'pass', worse: 'true', 'exit-code': '0' });
    const failed = await runAction({ ...inputs, 'fail-on-worse': 'true' }, { workspace });
    expect(failed.code).toBe(1);
    expect(failed.outputs).toMatchObject({ verdict: 'pass', worse: 'true', 'exit-code': '1' });
  });

  it('is not worse if nothing changed', async () => {
    const workspace = await afterBase(reference.url);
    const inputs = { url: reference.url, formats: 'json', args: HEALTH_ONLY, base: 'base' };
    const { code, outputs } = await runAction({ ...inputs, 'fail-on-worse': 'true' }, { workspace });
    expect(code).toBe(0);
    expect(outputs.worse).toBe('false');
  });

  it('may be missing or unusable, which is a warning', async () => {
    const workspace = emptyWorkspace();
    const inputs = { url: reference.url, formats: 'json', args: HEALTH_ONLY, base: 'base' };
    const missing = await runAction(inputs, { workspace });
    expect(missing.code).toBe(0);
    expect(missing.log).toContain('::warning title=Probity::There is no report of the base branch at base');
    expect(missing.outputs).toMatchObject({ worse: '', diff: '' });
    mkdirSync(path.join(workspace, 'base'));
    writeFileSync(path.join(workspace, 'base/probity.json'), '{}');
    const unusable = await runAction(inputs, { workspace });
    expect(unusable.code).toBe(0);
    expect(unusable.log).toContain('could not be compared, for the reason above');
    expect(unusable.outputs.worse).toBe('');
  });
});

describe('the comment on a pull request', () => {
  const githubs: FakeGithub[] = [];
  afterAll(() => {
    for (const github of githubs) github.close();
  });

  async function githubWith(comments: Comment[] = []): Promise<FakeGithub> {
    const github = await startFakeGithub(comments);
    githubs.push(github);
    return github;
  }

  function commentOn(
    github: FakeGithub,
    inputs: Readonly<Record<string, string>>,
    { event = PULL, actionPath = ROOT }: { readonly event?: unknown; readonly actionPath?: string } = {},
  ): Promise<ActionRun> {
    const workspace = emptyWorkspace();
    const eventFile = path.join(workspace, 'event.json');
    writeFileSync(eventFile, JSON.stringify(event));
    return runAction(
      { formats: FORMATS, args: HEALTH_ONLY, 'comment-token': JOB_TOKEN, ...inputs },
      {
        workspace,
        actionPath,
        env: {
          GITHUB_API_URL: github.url,
          GITHUB_SERVER_URL: 'https://github.test',
          GITHUB_RUN_ID: '9',
          GITHUB_REPOSITORY: 'acme/weather',
          GITHUB_EVENT_PATH: eventFile,
        },
      },
    );
  }

  const written = (id: number, body: string, author = 'NONE', type = 'User'): Comment => ({
    id,
    body,
    user: { type },
    author_association: author,
  });

  it('is written once, and changed by the next check', async () => {
    const github = await githubWith();
    const { log } = await commentOn(github, { url: brokenUrl });
    expect(github.comments, log).toHaveLength(1);
    expect(github.comments[0]?.body).toMatch(new RegExp(`^${MARKER}\\n[^]*health/operational`));
    await commentOn(github, { url: reference.url });
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).not.toContain('health/operational');
    await commentOn(github, { url: reference.url, 'comment-name': 'staging' });
    expect(github.comments).toHaveLength(2);
  });

  it('is found on a later page, and never taken from a stranger', async () => {
    const others = Array.from({ length: 130 }, (_, index) => written(index + 1, `${MARKER} not mine`));
    const own = written(131, `${MARKER}\nold`, 'NONE', 'Bot');
    const github = await githubWith([...others, own]);
    await commentOn(github, { url: reference.url });
    expect(github.comments).toHaveLength(131);
    expect(own.body).toContain('PASS');
    expect(others.every(({ body }) => body === `${MARKER} not mine`)).toBe(true);
  });

  it('has what the server says only as code, where nothing is a mention, a reference or a tag', async () => {
    const github = await githubWith();
    await commentOn(github, { url: brokenUrl });
    const { body = '' } = github.comments[0] ?? {};
    expect(body).toContain('@everyone');
    expect(body).toContain('#123');
    const text = body.slice(MARKER.length).replaceAll(/```.*?```|`[^`]*`/gs, '');
    expect(text).not.toMatch(/@|#\d|GH-|<img|-->/);
  });

  it('has the report even if no Markdown is requested', async () => {
    const github = await githubWith();
    const { outputs } = await commentOn(github, { url: reference.url, formats: 'json' });
    expect(outputs.markdown).toBe('probity-reports/probity.md');
    expect(github.comments[0]?.body).toContain('Probity: PASS');
    expect(github.comments[0]?.body).toContain(`\n\n${FOOTER}`);
  });

  it('has the comparison first, and leaves out a report with which it would be too long', async () => {
    const actionPath = emptyWorkspace();
    cpSync(path.join(ROOT, 'action'), path.join(actionPath, 'action'), { recursive: true });
    mkdirSync(path.join(actionPath, 'dist'));
    const script = `const fs = require('node:fs');
      const [command] = process.argv.slice(2);
      const output = process.argv.findLast((one) => one.startsWith('--output=')).slice('--output='.length);
      if (command === 'diff') fs.writeFileSync(output, 'difference'.repeat(5000));
      else {
        fs.mkdirSync(output, { recursive: true });
        fs.writeFileSync(output + 'probity.json', '{}');
        fs.writeFileSync(output + 'probity.md', 'report'.repeat(5000));
      }`;
    writeFileSync(path.join(actionPath, 'dist/probity.js'), script);
    const github = await githubWith();
    const { log } = await commentOn(
      github,
      { url: 'http://127.0.0.1:1', base: 'event.json' },
      { actionPath },
    );
    const { body = '' } = github.comments[0] ?? {};
    expect(body.startsWith(`${MARKER}\n\ndifference`), log).toBe(true);
    expect(body).not.toContain('report'.repeat(5));
    expect(body.length).toBeGreaterThan(50_000);
  });

  it('is written with a token that the started server does not see', async () => {
    const github = await githubWith();
    const start = 'test -z "$PROBITY_INPUT_COMMENT_TOKEN" && echo no token >&2; exit 9';
    const { log } = await commentOn(github, { url: 'http://127.0.0.1:1', start });
    expect(log).toMatch(/^ +no token$/m);
    expect(github.comments).toHaveLength(1);
  });

  it('does not keep an older verdict if there is no answer, or no check', async () => {
    const github = await githubWith([written(1, `${MARKER}\nPASS`, 'MEMBER')]);
    expect((await commentOn(github, { url: 'http://127.0.0.1:1' })).code).toBe(3);
    expect(github.comments[0]?.body).toContain('UNREACHABLE');
    expect((await commentOn(github, { url: '' })).code).toBe(2);
    expect(github.comments[0]?.body).toBe(
      `${MARKER}\n\nProbity judged nothing: the check could not be run. The log has the reason.\n\n${FOOTER}`,
    );
  });

  it('fails with a warning only', async () => {
    const github = await githubWith();
    const { code, log } = await commentOn(github, { url: reference.url, 'comment-token': 'ghs_of_a_fork' });
    expect(code).toBe(0);
    expect(log).toContain(
      '::warning title=Probity::The comment on the pull request could not be written: GitHub answered 403. The job needs the permission "pull-requests: write".',
    );
    expect(log).not.toContain('ghs_of_a_fork');
    const gone = await githubWith();
    gone.close();
    const unreachable = await commentOn(gone, { url: reference.url });
    expect(unreachable.code).toBe(0);
    expect(unreachable.log).toMatch(/The comment on the pull request could not be written: .*ECONNREFUSED/);
  });

  it('is not written without a token, or outside a pull request', async () => {
    const github = await githubWith();
    await commentOn(github, { url: reference.url, 'comment-token': '' });
    await commentOn(github, { url: reference.url }, { event: { ref: 'refs/heads/main' } });
    expect(github.requests).toEqual([]);
  });

  it('is refused a name that would end its marker', async () => {
    const github = await githubWith();
    const { code, log } = await commentOn(github, { url: reference.url, 'comment-name': 'a-->b' });
    expect(code).toBe(2);
    expect(log).toContain('The input comment-name may have letters');
    expect(github.requests).toEqual([]);
  });
});
