import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { checkServer } from '../../src/check/threads/check-server.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { PROFILE_IDS } from '../../src/model/profile.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Era } from '../../src/model/wire.ts';
import { renderSarif } from '../../src/report/formats/sarif.ts';
import { startHttpSubject } from '../mcp/http-subject.ts';
import { startPipedSubject } from '../mcp/piped-subject.ts';
import { result } from '../mutants/mcp/mcp-mutants.ts';
import { checkHere } from './check-here.ts';

interface Listed {
  readonly name: string;
  readonly input: JsonObject;
}

const CLOSED = { type: 'object', properties: {}, required: [], additionalProperties: false };
const FITS: Listed = { name: 'get_weather', input: CLOSED };
/** A name that no profile of a client or provider accepts, and keywords that draft-07 does not know. */
const BROKEN: Listed = { name: 'get weather', input: { ...CLOSED, dependentRequired: {} } };
const NONE = { signal: new AbortController().signal };

function describedAs(name: string): string {
  return `Description of ${name}.`;
}

async function withRest(
  form: 'A' | 'B',
  listed: Listed,
  check: (url: string) => Promise<TestResult>,
): Promise<TestResult> {
  const { name, input } = listed;
  const schemas = form === 'A' ? { inputs: [], outputs: [] } : { parameters: input, returns: CLOSED };
  const body = {
    mcpVersion: '1.0',
    server: { name: 'a', version: '1', description: 'a' },
    functions: [{ name, description: describedAs(name), ...schemas }],
  };
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return check(`http://127.0.0.1:${port}`).finally(() => server.close());
}

const OPTIONS: CheckOptions = { seed: 1, latency: { off: true } };

/** Checks a server that lists only one function, over one wire. */
async function checked(wire: string, listed: Listed, options: CheckOptions): Promise<TestResult> {
  const settings = { ...OPTIONS, ...options };
  if (wire === 'A' || wire === 'B') return withRest(wire, listed, (url) => checkHere(url, settings, NONE));
  const [channel, era] = wire.split(', ') as ['http' | 'stdio', Era];
  const { name, input } = listed;
  const tools = [{ name, description: describedAs(name), inputSchema: input }];
  const change = result('tools/list', (page) => ({ ...page, tools }));
  if (channel === 'http') {
    const { url, close } = await startHttpSubject({ era, change });
    return checkHere(url, { ...settings, mcp: {} }, NONE).finally(close);
  }
  const { command, close } = await startPipedSubject({ era, change });
  return checkHere('node subject.js', { ...settings, mcp: { command } }, NONE).finally(close);
}

const WIRES = ['A', 'B', 'http, session', 'http, stateless', 'stdio, session', 'stdio, stateless'];

describe.each(WIRES)('over %s', (wire) => {
  it('each profile that is named fails a run with a definition that it does not accept', async () => {
    const { results, findings, verdict } = await checked(wire, BROKEN, { only: ['portability/*'] });
    const rows = PROFILE_IDS.map((id) => `portability/${id}`);
    expect(results.map(({ id }) => id)).toEqual(rows);
    // Only names are known of form A, and draft-07 has no rule for names.
    const failing = wire === 'A' ? rows.filter((id) => id !== 'portability/draft-07') : rows;
    expect(results.flatMap(({ id, outcome }) => (outcome === 'failed' ? [id] : []))).toEqual(failing);
    expect(new Set(findings.map(({ subject, where }) => `${subject}, ${where.function}`))).toEqual(
      new Set(['get weather, get weather']),
    );
    expect(verdict).toBe('fail');
  });

  it('each profile passes a definition that it accepts', async () => {
    const portable = PROFILE_IDS.filter((id) => wire === 'A' || id !== 'gemini-openapi');
    const only = portable.map((id) => `portability/${id}`);
    const { results, clientView, verdict } = await checked(wire, FITS, { only });
    expect(results.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(only.map((id) => `${id} passed`));
    expect(clientView?.portability.filter(({ isChosen }) => isChosen).map(({ profile }) => profile)).toEqual(
      portable,
    );
    expect(verdict).toBe('pass');
  });
});

describe('without a profile', () => {
  it('no row is planned, and the view of clients is information', async () => {
    const { results, clientView } = await checked('B', BROKEN, { only: ['capabilities/*'] });
    expect(results.filter(({ id }) => id.startsWith('portability/'))).toEqual([]);
    expect(
      clientView?.portability.map(({ profile, isChosen, portable }) => [profile, isChosen, portable]),
    ).toEqual(PROFILE_IDS.map((id) => [id, false, 0]));
  });
});

describe('a finding', () => {
  it('has its place in the user’s own source, and the command that repeats it', async () => {
    const functions = [{ glob: 'get *', file: 'src/tools/weather.ts', line: 12 }];
    const sources = { functions, requirements: [] };
    const report = await checked('http, session', BROKEN, { only: ['portability/openai'], sources });
    expect(report.findings).toMatchObject([
      {
        where: { pointer: '/result/tools/0/name', exchange: 'capabilities/read#0' },
        check: expect.stringContaining('--only portability/openai'),
      },
    ]);
    expect(JSON.parse(renderSarif(report)[0]?.text ?? '')).toMatchObject({
      runs: [
        {
          results: [
            {
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'src/tools/weather.ts' },
                    region: { startLine: 12 },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });
});

describe('the name of a profile', () => {
  it('is refused if there is no such profile, with the nearest one', async () => {
    const portable = ['opneai'] as unknown as CheckOptions['portable'];
    await expect(checkServer('http://127.0.0.1:1', { portable })).rejects.toMatchObject({
      name: 'OptionError',
      message: expect.stringContaining('Did you mean "openai"?'),
    });
  });
});
