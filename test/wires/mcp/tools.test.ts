import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json/json.ts';
import { nextCursor } from '../../../src/wires/mcp/lists.ts';
import { functionsOf, toolsOn } from '../../../src/wires/mcp/tools.ts';
import { error, heard, ok, request } from '../../checks/messages.ts';

const page = (result: JsonObject) => heard(request('tools/list'), [ok(result)]);

it('lists the tools of a page with their pointers', () => {
  expect(toolsOn(page({ tools: [{ name: 'a' }, 7] }))).toEqual([
    { tool: { name: 'a' }, pointer: '/result/tools/0' },
    { tool: 7, pointer: '/result/tools/1' },
  ]);
  expect(toolsOn(page({ tools: {} }))).toEqual([]);
  expect(toolsOn(heard(request('tools/list'), [error(-32601)]))).toEqual([]);
});

it('reads the cursor of the next page, of whatever type', () => {
  expect(nextCursor(page({ nextCursor: 'a' }))).toBe('a');
  expect(nextCursor(page({ nextCursor: null }))).toBeNull();
  expect(nextCursor(page({}))).toBeUndefined();
});

it('takes the tools of all pages as functions, the first of each name, and none that only runs as a task', () => {
  const pages = [
    page({
      tools: [
        { name: 'a', description: 'd', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
        { name: 'task', execution: { taskSupport: 'required' } },
        { inputSchema: {} },
        'b',
      ],
      nextCursor: '2',
    }),
    page({ tools: [{ name: 'a' }, { name: 'b', execution: { taskSupport: 'optional' } }] }),
  ];
  expect(functionsOf(pages)).toEqual([
    { name: 'a', description: 'd', parameters: { type: 'object' }, returns: { type: 'object' } },
    { name: 'b', execution: { taskSupport: 'optional' } },
  ]);
});
