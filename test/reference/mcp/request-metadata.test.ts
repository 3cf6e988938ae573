import { expect, it } from 'vitest';
import { referenceCatalog } from '../../../src/reference/mcp/offers/reference-catalog.ts';
import type { Catalog } from '../../../src/reference/mcp/protocol/catalog.ts';
import { findMetadataProblem } from '../../../src/reference/mcp/request-metadata.ts';
import { META, STATELESS } from './messages.ts';

const mirrored = (type: string, header: string) => ({ type, 'x-mcp-header': header });
const inputSchema = {
  type: 'object',
  properties: {
    count: mirrored('integer', 'Count'),
    sure: mirrored('boolean', 'Sure'),
    place: { type: 'object', properties: { name: mirrored('string', 'Place') } },
    list: { type: 'array', items: mirrored('string', 'Never') },
  },
};
const catalog: Catalog = {
  ...referenceCatalog,
  tools: [{ listed: { name: 'go', inputSchema }, validate: () => undefined, run: () => ({}) }],
};

it.each<[object, Readonly<Record<string, string>>, boolean]>([
  [{}, {}, true],
  [{ count: 42 }, { count: '42' }, true],
  [{ count: 42 }, { count: '42.0' }, true],
  [{ count: 42 }, { count: '43' }, false],
  [{ count: 0 }, { count: '' }, false],
  [{ count: 0 }, {}, false],
  [{ count: null }, {}, true],
  [{ count: null }, { count: 'null' }, false],
  [{ sure: false }, { sure: 'false' }, true],
  [{ sure: false }, { sure: 'False' }, false],
  [{ place: { name: 'here' } }, { place: 'here' }, true],
  [{ place: { name: 'here' } }, { place: 'there' }, false],
  [{ place: 'here' }, {}, true],
  [{ list: ['here'] }, {}, true],
  [{}, { other: 'x' }, true],
])('the input %j with the headers %j is accepted: %s', (given, headers, isAccepted) => {
  const problem = findMetadataProblem(
    catalog,
    { kind: 'request', id: '1', method: 'tools/call', params: { _meta: META, name: 'go', arguments: given } },
    [STATELESS],
    {
      'mcp-protocol-version': STATELESS,
      'mcp-method': 'tools/call',
      'mcp-name': 'go',
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [`mcp-param-${name}`, value])),
    },
  );
  expect(problem?.code).toBe(isAccepted ? undefined : 'headerMismatch');
});
