// The same searches without keys, limits, headers and shared answers: Fastify, the search of the service, JSON. It is the
// limit that the service is compared with. `plain-search.ts DATABASE_URL DATA_FOLDER` prints its address.
import { fastify } from 'fastify';
import { openStore } from '../src/db/open-store.ts';
import { Search } from '../src/search/search.ts';
import { parametersIn, parseSearch } from '../src/search/search-query.ts';

const [databaseUrl = '', dataFolder = ''] = process.argv.slice(2);
const store = await openStore({
  databaseUrl: databaseUrl === '' ? null : databaseUrl,
  dataFolder,
  share: false,
});
const search = new Search(store.db);
const app = fastify({ routerOptions: { querystringParser: (text) => ({ given: parametersIn(text) }) } });
app.get<{ Querystring: { given: ReturnType<typeof parametersIn> } }>(
  '/v1/servers/search',
  async ({ query: { given } }) => {
    const parsed = parseSearch(given);
    if (parsed.kind === 'bad') throw new Error('a parameter is invalid');
    const { limit, offset } = parsed.query;
    const { servers, total } = await search.find(parsed.query);
    return { servers, pagination: { total, limit, offset, hasNext: offset + servers.length < total } };
  },
);
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
