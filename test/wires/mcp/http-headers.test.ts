import { describe, expect, it } from 'vitest';
import { mirroredHeaders, mirroredParameters } from '../../../src/wires/mcp/http-headers.ts';

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    limit: { type: 'integer', 'x-mcp-header': 'Limit' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    where: { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } },
    plain: { type: 'string' },
    invalid: { type: 'string', 'x-mcp-header': 'not a token' },
    items: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Unreachable' } },
  },
};

const headersOf = (input: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(mirroredHeaders(mirroredParameters(schema), input as never));

describe('the headers that repeat parameters of a call', () => {
  it.each([
    ['a text', { region: 'us-west1' }, { 'mcp-param-region': 'us-west1' }],
    ['a whole number', { limit: -7 }, { 'mcp-param-limit': '-7' }],
    ['a boolean', { dry: false }, { 'mcp-param-dry-run': 'false' }],
    ['a value in an object', { where: { city: 'Bern' } }, { 'mcp-param-city': 'Bern' }],
    [
      'a text that is not ASCII',
      { region: 'Hello, 世界' },
      { 'mcp-param-region': '=?base64?SGVsbG8sIOS4lueVjA==?=' },
    ],
    ['blanks around a text', { region: ' padded ' }, { 'mcp-param-region': '=?base64?IHBhZGRlZCA=?=' }],
    ['an empty text', { region: '' }, { 'mcp-param-region': '=?base64??=' }],
    [
      'a text that looks encoded',
      { region: '=?base64?literal?=' },
      { 'mcp-param-region': '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=' },
    ],
  ])('have %s', (_what, input, headers) => {
    expect(headersOf(input)).toEqual(headers);
  });

  it.each([
    ['null', { region: null }],
    ['an absent value', {}],
    ['an object', { region: { a: 1 } }],
    ['a number that is not exact', { limit: 2 ** 60 }],
    ['a parameter without a header', { plain: 'x' }],
    ['an annotation that is no name of a header', { invalid: 'x' }],
    ['an item of a list', { items: ['x'] }],
  ])('leave out %s', (_what, input) => {
    expect(headersOf(input)).toEqual({});
  });
});
