import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../src/check/render/render-format.ts';
import { isMeasurement } from '../../src/model/measurement.ts';
import type { TestResult } from '../../src/model/report.ts';
import { CANARIES, canariesIn, contentOf, spellingsOf } from '../cli/canaries.ts';
import { BEHAVIOURS, BROKEN, type EchoServer, startEchoServer } from '../cli/echo-server.ts';
import { emptyFolder, type Finished, type RunOptions, runCommand } from '../cli/run-command.ts';
import { deadAddress } from '../free-port.ts';

type Behaviour = keyof typeof BEHAVIOURS;

/** A busy machine must not look like a silent target. */
const PATIENT = ['--timeout', '300', '--deadline', '3600'];
/** `npm run malformed` repeats the secrets in every way; the ordinary tests in some ways. */
const isWhole = process.env.PROBITY_MALFORMED === 'whole';
const UNTIMED = '--no-latency';
const TIMED: Behaviour = 'in answers to timed calls';

/** All formats are rendered from the stored result, so these are enough. */
const IN_EVERY_FORMAT: ReadonlySet<Behaviour> = new Set(['in bodies', 'in descriptors and results']);

/** The folders of a command: it can write only to the first two. */
interface Place {
  readonly cwd: string;
  readonly temporary: string;
  readonly configFile: string;
}

function makePlace(): Place {
  const folder = emptyFolder();
  const place = {
    cwd: path.join(folder, 'cwd'),
    temporary: path.join(folder, 'temporary'),
    configFile: path.join(folder, 'with-secrets.yaml'),
  };
  mkdirSync(place.cwd);
  mkdirSync(place.temporary);
  writeFileSync(
    place.configFile,
    [
      'config: v1',
      'headers:',
      `  X-Config-Key: ${JSON.stringify(CANARIES.config)}`,
      '  X-Env-Key: { env: CANARY_ENVIRONMENT }',
      'listing: { transport: [http, websocket] }',
      '',
    ].join('\n'),
  );
  return place;
}

/** All ways to pass a secret at once. */
function given({ configFile }: Place): readonly string[] {
  return [
    ...['--bearer-env', 'CANARY_BEARER', '--config', configFile],
    ...[
      '--header',
      `X-Api-Key: ${CANARIES.header}`,
      '--header',
      `Cookie: session=${CANARIES.cookie}; theme=dark`,
    ],
  ];
}

function run(place: Place, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return runCommand(args, {
    ...options,
    isAlone: true,
    cwd: place.cwd,
    env: {
      CANARY_BEARER: CANARIES.bearer,
      CANARY_ENVIRONMENT: CANARIES.environment,
      TMPDIR: place.temporary,
      TEMP: place.temporary,
      TMP: place.temporary,
    },
  });
}

function expectNone(place: Place, { stdout, stderr }: Finished): void {
  expect(canariesIn(stdout), 'standard output').toEqual([]);
  expect(canariesIn(stderr), 'standard error').toEqual([]);
  expect(canariesIn(contentOf(place.cwd)), 'the folder of the reports').toEqual([]);
  expect(canariesIn(contentOf(place.temporary)), 'the temporary folder').toEqual([]);
}

function reportOf({ cwd }: Place): string {
  const name = readdirSync(path.join(cwd, 'reports')).find((file) => /-[0-9a-f]{8}\.json$/.test(file));
  return path.join('reports', name ?? 'none');
}

async function against<T>(behaviour: Behaviour, work: (server: EchoServer) => Promise<T>): Promise<T> {
  const server = await startEchoServer(behaviour);
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

describe('the search for secrets', () => {
  test.each(Object.entries(CANARIES))('finds %s in every spelling', (name, secret) => {
    for (const spelling of spellingsOf(secret)) {
      for (const text of [spelling, `before${spelling}after`, JSON.stringify({ said: spelling })]) {
        expect(canariesIn(text).join(), text).toContain(`${name}: `);
      }
    }
    expect(canariesIn(secret.slice(3, 15)).join()).toContain(`${name}: `);
  });

  test('finds nothing in other texts', () => {
    expect(canariesIn('{"caller":"$PROBITY_TOKEN"} and c4nary, and so on')).toEqual([]);
  });
});

describe.concurrent('a target that repeats every secret', () => {
  const finite = (Object.keys(BEHAVIOURS) as Behaviour[]).filter(
    (name) => name !== 'and falls silent' && name !== TIMED,
  );

  test.each(isWhole ? finite : finite.filter((_, index) => index % 5 === 0))(
    '%s: check and judge write none of them',
    (behaviour) =>
      against(behaviour, async (server) => {
        const place = makePlace();
        const args = ['check', server.url, ...given(place), UNTIMED, ...PATIENT];
        const formats = IN_EVERY_FORMAT.has(behaviour) ? ['--format', FORMAT_NAMES.join(',')] : [];
        const checked = await run(place, [...args, ...formats]);
        if (formats.length > 0)
          expect(readdirSync(path.join(place.cwd, 'reports')).length).toBeGreaterThanOrEqual(
            FORMAT_NAMES.length,
          );
        expect([...server.arrived].sort()).toEqual(Object.keys(CANARIES).sort());
        expectNone(place, checked);
        expect(contentOf(place.cwd)).toContain('$PROBITY_TOKEN');

        if (!isWhole && !IN_EVERY_FORMAT.has(behaviour)) return;
        const judgedJson = await run(place, ['judge', reportOf(place), '--json']);
        expect(judgedJson.code).toBe(checked.code);
        expectNone(place, judgedJson);
      }),
  );

  test.each(['in bodies', 'in broken HTTP'] as const)('%s: nor does check --json', (behaviour) =>
    against(behaviour, async (server) => {
      const place = makePlace();
      const args = ['check', server.url, ...given(place), UNTIMED, '--json', '--seed', '7', ...PATIENT];
      const checked = await run(place, args);
      expect(checked.stdout).toContain('$PROBITY_TOKEN');
      expectNone(place, checked);
      // Each way to break HTTP was used at least once.
      expect(server.requests()).toBeGreaterThan(2 * BROKEN.length);
    }),
  );

  test(`${TIMED}: nor do measurements`, () =>
    against(TIMED, async (server) => {
      const only = ['--only', 'performance/*', '--samples', '40', '--max-functions', '3'];
      const place = makePlace();
      const checked = await run(place, ['check', server.url, ...given(place), ...only, ...PATIENT]);
      const { responseTimes } = JSON.parse(
        readFileSync(path.join(place.cwd, reportOf(place)), 'utf8'),
      ) as TestResult;
      const kinds = responseTimes.filter(isMeasurement).flatMap(({ errorKinds }) => errorKinds);
      expect(kinds.map(({ message }) => message).join()).toContain('$PROBITY_');
      expect(checked.stdout).toContain('performance/error-rate');
      expectNone(place, checked);
      for (const more of [[], ['--json']])
        expectNone(place, await run(place, ['judge', reportOf(place), ...more]));
    }));

  test.each(['in bodies', 'in descriptors and results', 'in redirects', 'in broken HTTP'] as const)(
    '%s: nor does plan',
    (behaviour) =>
      against(behaviour, async (server) => {
        const place = makePlace();
        for (const more of [[], ['--json']])
          expectNone(place, await run(place, ['plan', server.url, ...given(place), ...more]));
        expect([...server.arrived].sort()).toEqual(Object.keys(CANARIES).sort());
      }),
  );

  test('and falls silent: nor does a run that its deadline ends', () =>
    against('and falls silent', async (server) => {
      const place = makePlace();
      const checked = await run(place, [
        'check',
        server.url,
        ...given(place),
        '--deadline',
        '20',
        '--timeout',
        '60',
      ]);
      expect(server.requests()).toBeGreaterThan(0);
      expect(checked.stdout).toContain('deadline');
      expectNone(place, checked);
    }));

  test('and falls silent: nor does an interrupted run', () =>
    against('and falls silent', async (server) => {
      const place = makePlace();
      let interrupted = false;
      const checked = await run(place, ['check', server.url, ...given(place), '--timeout', '20'], {
        onOutput: (stderr, kill) => {
          if (interrupted || !stderr.includes('checking')) return;
          interrupted = true;
          kill('SIGINT');
        },
      });
      expect(checked.stderr).toContain('interrupted');
      expectNone(place, checked);
    }));

  test('in bodies: nor does a run that is interrupted in the middle', () =>
    against('in bodies', async (server) => {
      const place = makePlace();
      let watching = false;
      const checked = await run(place, ['check', server.url, ...given(place), UNTIMED, '--max-rate', '5'], {
        onOutput: (stderr, kill) => {
          if (watching || !stderr.includes('checking')) return;
          watching = true;
          void server.received(3).then(() => kill('SIGINT'));
        },
      });
      expect(checked.stderr).toContain('interrupted');
      expect(contentOf(place.cwd)).toContain('$PROBITY_TOKEN');
      expectNone(place, checked);
    }));

  test('and is down: nor does any command', async () => {
    const url = await deadAddress();
    const place = makePlace();
    for (const args of [
      ['check', url],
      ['check', url, '--json'],
      ['plan', url],
    ]) {
      const finished = await run(place, [...args, ...given(place)]);
      expect(finished.code).toBe(3);
      expectNone(place, finished);
    }
  });
});

describe.concurrent('a mistake in the arguments or the configuration', () => {
  const place = makePlace();
  const url = 'http://127.0.0.1:9';
  const withConfig = (name: string, ...lines: readonly string[]): readonly string[] => {
    const file = path.join(path.dirname(place.configFile), name);
    writeFileSync(file, lines.join('\n'));
    return ['check', url, '--config', file];
  };
  const MISTAKES: readonly (readonly [what: string, args: readonly string[]])[] = [
    ['a header without a colon', ['check', url, '--header', `X-Api-Key ${CANARIES.header}`]],
    ['a header with a line break', ['check', url, '--header', `X-Api-Key: ${CANARIES.header}\r\nX: 1`]],
    ['a header that no request can contain', ['check', url, '--header', `X-Api-Key: ${CANARIES.header}→`]],
    ['a header of the connection', ['check', url, '--header', `Host: ${CANARIES.header}`]],
    ['the token instead of its variable', ['check', url, '--bearer-env', CANARIES.bearer]],
    ['a password in the address', ['check', `http://ada:${CANARIES.header}@127.0.0.1:9`]],
    ['a password in an invalid address', ['check', `htp://ada:${CANARIES.header}@127.0.0.1:9`]],
    ['a key in a base address', ['check', `${url}?key=${CANARIES.header}`, '--wire', 'rest']],
    [
      'a header of the wrong kind',
      withConfig('a.yaml', 'config: v1', 'headers:', `  X-Key: [${CANARIES.header}]`),
    ],
    [
      'a mistake beside a header',
      withConfig('b.yaml', 'config: v1', `headers: { X-Key: ${CANARIES.header}, Y: [] }`, 'form: C'),
    ],
    [
      'a mistake in a configuration of one line',
      withConfig('c.yaml', `{ config: v1, headers: { X-Key: ${CANARIES.header}, Y: [] } }`),
    ],
    [
      'a duplicate header',
      withConfig('d.yaml', 'config: v1', 'headers:', '  X-Key: a', `  X-Key: ${CANARIES.header}`),
    ],
    ['an unclosed quote', withConfig('e.yaml', 'config: v1', 'headers:', `  X-Key: "${CANARIES.header}`)],
    ['a colon too many', withConfig('f.yaml', 'config: v1', 'headers:', `  X-Key: a: ${CANARIES.header}`)],
    [
      'a value over two lines',
      withConfig('g.yaml', 'config: v1', 'headers:', '  X-Key: >', `    ${CANARIES.header}`, '  Y: []'),
    ],
  ];

  test('a key in the address of an endpoint that does not answer', async () => {
    const finished = await run(place, ['check', `${url}?key=${CANARIES.header}`]);
    expect(finished.code).toBe(3);
    expect(finished.stderr).toContain('?key=$KEY');
    expectNone(place, finished);
  });

  test.each(MISTAKES)('%s', async (_what, args) => {
    const finished = await run(place, args);
    expect(finished.code).toBe(2);
    expect(finished.stderr.length).toBeGreaterThan(20);
    expectNone(place, finished);
  });
});
