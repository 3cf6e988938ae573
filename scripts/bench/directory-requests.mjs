// Single requests to a directory, one after another; of several builds alternately.
import { judgedHere, named } from './builds.mjs';
import { judged, median, ms, note, percentile } from './sheet.mjs';

/** Each round asks for other values, so that no answer and, where values differ, no total is known already. */
const SEARCHES = {
  everything: (round) => `offset=${round}`,
  'one word': (round) => `q=common${round}`,
  'a rare word': (round) => `q=word${777 + round}`,
  'two words': (round) => `q=common${round}+common9`,
  category: (round) => `category=category+${round % 30}&offset=${round}`,
  tag: (round) => `tags=tag${round}`,
  'two tags': (round) => `tags=tag${round},tag1`,
  transport: (round) => `transport=websocket&offset=${round}`,
  protocol: (round) => `protocol=mcp&offset=${round}`,
  status: (round) => `status=unknown&offset=${round}`,
  verdict: (round) => `verdict=pass&offset=${round}`,
  audited: (round) => `audited=true&offset=${round}`,
  uptime: (round) => `minUptime=${95 + round / 10}`,
  'response time': (round) => `maxResponseTime=${50 + round}`,
  'updated since': (round) => `updatedSince=${new Date(Date.UTC(2026, 0, 1) + round).toISOString()}`,
  'all at once': (round) => `q=common${round}&transport=http&audited=true&minUptime=90&tags=tag0`,
  'a deep page': (round) => `offset=${50_000 + round}&limit=100`,
  ...Object.fromEntries(
    ['name', 'uptime', 'responseTime', 'coverage', 'newest', 'changed'].map((sort) => [
      `sorted by ${sort}`,
      (round) => `sort=${sort}&offset=${round}`,
    ]),
  ),
};
const REGISTRY = {
  everything: (round) => `?limit=${20 + round}`,
  'the latest versions': (round) => `?version=latest&limit=${20 + round}`,
  'a common part of names': (round) => `?search=server-${round}`,
  'a rare part of names': (round) => `?search=ver-${77_700 + round}`,
  'updated since': (round) =>
    `?limit=100&updated_since=${new Date(Date.UTC(2026, 0, 1) + round).toISOString()}`,
  'a deep page': (round) => `?limit=100&cursor=${cursorAt(`server-${50_000 + round}`)}`,
  'one server': (round) => `/local.directory%2Fserver-${round}/versions/latest`,
};
/** Searches that are also measured with facets, and as pages, which have facets. */
const FACETED = ['everything', 'one word', 'a rare word', 'category'];
const ROUNDS = 40;
const WARM_UP = 20;
const MAX_MEDIAN_MS = 10;
/** Of the same search without facets. */
const MAX_FACETS_RATIO = 2;
const MAX_PAGE_RATIO = 3;
/** Of the home page; it sorts all entries by what changed. */
const MAX_FIRST_HOME_MS = 300;

/** `services`: the build of each, with `ask(method, path)`. A request that another build does not know is left out. */
export async function measureRequests(services) {
  for (const { build, ask } of services) {
    const firstMs = await timed(() => ask('GET', '/v1/servers/search?offset=999'));
    note(named('first search', build), ms(firstMs));
    const homeMs = await timed(() => ask('GET', '/'));
    judgedHere(
      build,
      named('first home page', build),
      ms(homeMs),
      homeMs < MAX_FIRST_HOME_MS,
      `${MAX_FIRST_HOME_MS} ms`,
    );
    for (let round = 0; round < WARM_UP; round += 1)
      await ask('GET', `/v1/servers/search?offset=${1000 + round}`);
  }
  for (const [name, queryOf] of Object.entries(SEARCHES)) {
    const plainMs = await measure(services, name, (round) => `/v1/servers/search?${queryOf(round)}`);
    if (!FACETED.includes(name)) continue;
    await measure(
      services,
      `${name}, with facets`,
      (round) => `/v1/servers/search?facets=true&${queryOf(round)}`,
      {
        figure: plainMs,
        ratio: MAX_FACETS_RATIO,
      },
    );
    await measure(services, `${name}, as a page`, (round) => `/?${queryOf(round)}`, {
      figure: plainMs,
      ratio: MAX_PAGE_RATIO,
    });
  }
  for (const [name, pathOf] of Object.entries(REGISTRY))
    await measure(services, `registry: ${name}`, (round) => `/v0.1/servers${pathOf(round)}`);
}

/** Prints the times, of which the first service's are judged, and returns its median. `than`: a median to compare with. */
async function measure(services, name, pathOf, than = null) {
  const times = new Map(services.map((service) => [service, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const service of round % 2 === 0 ? services : [...services].reverse()) {
      if (!times.has(service)) continue;
      const before = performance.now();
      const { status, text } = await service.ask('GET', pathOf(round));
      times.get(service).push(performance.now() - before);
      if (status === 200) continue;
      if (service === services[0]) throw new Error(`${pathOf(round)} was answered with ${status}: ${text}`);
      times.delete(service);
    }
  const [ownMs, otherMs] = services.map((service) => times.get(service)).map((of) => of && median(of));
  for (const [{ build }, of] of times)
    judgedHere(
      build,
      named(name, build),
      [median(of), percentile(of, 90), percentile(of, 99)].map(ms).join(' / '),
      ownMs < MAX_MEDIAN_MS,
      `${MAX_MEDIAN_MS} ms at the median`,
    );
  if (otherMs !== undefined) note('  ratio', (ownMs / otherMs).toFixed(2));
  if (than !== null) {
    const ratio = ownMs / than.figure;
    judged('  to the search alone', ratio.toFixed(2), ratio <= than.ratio, `${than.ratio}`);
  }
  return ownMs;
}

async function timed(work) {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** As the directory writes it. */
function cursorAt(id) {
  return Buffer.from(JSON.stringify([null, false, id, ''])).toString('base64url');
}
