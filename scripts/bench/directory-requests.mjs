// Single requests to a directory, one after another.
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

/** `ask(method, path)` sends a request. */
export async function measureRequests(ask) {
  const get = async (path) => {
    const before = performance.now();
    const { status, text } = await ask('GET', path);
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${text}`);
    return { text, tookMs: performance.now() - before };
  };
  note('first search', ms((await get('/v1/servers/search?offset=999')).tookMs));
  const { tookMs: homeMs } = await get('/');
  judged('first home page', ms(homeMs), homeMs < MAX_FIRST_HOME_MS, `${MAX_FIRST_HOME_MS} ms`);
  for (let round = 0; round < WARM_UP; round += 1) await get(`/v1/servers/search?offset=${1000 + round}`);
  for (const [name, queryOf] of Object.entries(SEARCHES)) {
    const plainMs = await measure(get, name, (round) => `/v1/servers/search?${queryOf(round)}`);
    if (!FACETED.includes(name)) continue;
    const facetsMs = await measure(
      get,
      `${name}, with facets`,
      (round) => `/v1/servers/search?facets=true&${queryOf(round)}`,
    );
    judgeRatio(facetsMs / plainMs, MAX_FACETS_RATIO);
    const pageMs = await measure(get, `${name}, as a page`, (round) => `/?${queryOf(round)}`);
    judgeRatio(pageMs / plainMs, MAX_PAGE_RATIO);
  }
  for (const [name, pathOf] of Object.entries(REGISTRY))
    await measure(get, `registry: ${name}`, (round) => `/v0.1/servers${pathOf(round)}`);
}

/** Judges the times of a request, and returns their median. */
async function measure(get, name, pathOf) {
  const times = [];
  const totals = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { text, tookMs } = await get(pathOf(round));
    times.push(tookMs);
    if (pathOf(round).startsWith('/v1/')) totals.push(JSON.parse(text).pagination.total);
  }
  const found = totals.length === 0 ? '' : `, ${median(totals)} found`;
  judged(
    name,
    `${[median(times), percentile(times, 90), percentile(times, 99)].map(ms).join(' / ')}${found}`,
    median(times) < MAX_MEDIAN_MS,
    `${MAX_MEDIAN_MS} ms at the median`,
  );
  return median(times);
}

function judgeRatio(ratio, bound) {
  judged('  to the search alone', ratio.toFixed(2), ratio <= bound, String(bound));
}

/** As the directory writes it. */
function cursorAt(id) {
  return Buffer.from(JSON.stringify([null, false, id, ''])).toString('base64url');
}
