import { expect, it } from 'vitest';
import { changedByBridge } from '../../src/checks/mcp/changed-by-bridge.ts';
import type { Json } from '../../src/model/json.ts';
import { answer } from './example.ts';

const posted = (key: string, route: string, sent: Json, value: Json) =>
  answer({
    key,
    value,
    request: {
      method: 'POST',
      url: `http://bridge.example${route}`,
      body: { text: JSON.stringify(sent) },
    },
  });

const contentOf = (text: string) => ({ content: [{ type: 'text', text }] });

/** Two calls of a tool with random results, sent with the same id, of which only the first is in the record. */
function changed(omitted: number): readonly string[] {
  const requestId = 'probity-7-1';
  const execute = (key: string, text: string) =>
    posted(
      key,
      '/execute',
      { function: 'dice', parameters: {}, requestId },
      { requestId, result: contentOf(text) },
    );
  const record = posted(
    'record#0',
    '/messages',
    { recorded: true },
    { toolLists: [], calls: [{ requestId, tool: 'dice', result: contentOf('4') }], omitted },
  );
  return changedByBridge([execute('call#0', '4'), execute('again#0', '6'), record]).map(
    ({ exchangeKey }) => exchangeKey,
  );
}

it('finds a result that the server did not return', () => {
  expect(changed(0)).toEqual(['again#0']);
});

it('does not blame the bridge if the call may be missing in its record', () => {
  expect(changed(1)).toEqual([]);
});

const listed = (key: string, tools: readonly Json[]) =>
  answer({
    key,
    value: { functions: tools },
    request: { method: 'GET', url: 'http://bridge.example/capabilities', body: null },
  });
const recordOf = (toolLists: Json, omitted = 0) =>
  posted('record#0', '/messages', { recorded: true }, { toolLists, calls: [], omitted });

it('accepts properties that the bridge added to an output schema', () => {
  const schema = { type: 'object' };
  const full = { type: 'object', properties: {} };
  const tool = { name: 'any', description: 'Any.', inputSchema: schema, outputSchema: schema };
  const descriptor = { name: 'any', description: 'Any.', parameters: full, returns: full };
  expect(changedByBridge([listed('list#0', [descriptor]), recordOf([[tool]])])).toEqual([]);
  expect(
    changedByBridge([listed('list#0', [{ ...descriptor, returns: {} }]), recordOf([[tool]])]),
  ).toHaveLength(1);
});

it('does not blame the bridge for a list that may be missing in its record', () => {
  const exchanges = (omitted: number) => [listed('list#0', []), recordOf([[{ name: 'a' }]], omitted)];
  expect(changedByBridge(exchanges(0))).toHaveLength(1);
  expect(changedByBridge(exchanges(1))).toEqual([]);
});
