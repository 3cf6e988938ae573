import { afterEach, describe, expect, test } from 'vitest';
import { checks } from '../../src/generated/checks.ts';
import { pickers } from '../../src/pickers/index.ts';
import { type RunningServer, startReferenceServer } from '../../src/reference/server.ts';
import { parseSuites } from '../../src/suite/language/parse-suites.ts';
import { loadSuites } from '../../src/suite/load-suites.ts';
import { schemaProblem } from '../../src/suite/yaml/schema-problem.ts';
import { checkHere } from '../check/check-here.ts';
import { PATIENT } from '../patience.ts';

let server: RunningServer | undefined;
afterEach(async () => {
  await server?.close();
});

/** The outcomes of a user's suite beside the product's suites. */
async function outcomesOf(steps: string): Promise<Readonly<Record<string, string>>> {
  server = await startReferenceServer({ form: 'B' });
  const { suites, registry } = await loadSuites();
  const source = {
    file: 'own.suite.yaml',
    text: `suite: v1\nid: own\ntitle: T\nsteps:\n${steps}`,
    digest: '',
  };
  const own = parseSuites([source], { registry, checks, pickers, schemaProblem }, suites);
  const result = await checkHere(
    server.url,
    { suites: [...suites, ...own], latency: { off: true }, ...PATIENT },
    { signal: new AbortController().signal },
  );
  return Object.fromEntries(
    result.results.filter(({ id }) => id.startsWith('own/')).map(({ id, outcome }) => [id, outcome]),
  );
}

describe('a step of a user that uses every other', () => {
  test('may send its own request, like a step of the product', async () => {
    const steps = `  - id: last
    use: { all: "*" }
    request: { get: /health }
    expect: { status: { is: 200, id: well } }`;
    expect(await outcomesOf(steps)).toEqual({ 'own/well': 'passed' });
  });

  test('is not blocked by aborted requests', async () => {
    const steps = `  - id: every
    use: "*"
    expect: { status: { not: 3xx, id: no-redirects } }`;
    expect(await outcomesOf(steps)).toEqual({ 'own/no-redirects': 'passed' });
  });
});
