import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import type { Chosen } from '../../src/pickers/define-picker.ts';
import { pickers } from '../../src/pickers/index.ts';
import { heard, ok, request } from '../checks/messages.ts';

/** What is chosen from the pages of a list. */
function choose(name: string, method: string, ...pages: readonly JsonObject[]): Chosen | undefined {
  return pickers.get(name)?.({
    answers: pages.map((page) => ({
      exchange: heard(request(method), [ok(page)]),
      value: ok(page),
      item: undefined,
    })),
    saved: new Map(),
    settings: {},
    callOf: () => null,
  });
}

const chosen = (value: unknown): unknown => ({ kind: 'chosen', value });
const notNeeded = (reason: string): unknown => ({ kind: 'not-needed', reason });

describe('prompts', () => {
  const plain = { name: 'plain', arguments: [{ name: 'style' }] };
  const demanding = {
    name: 'demanding',
    arguments: [
      { name: 'code', required: true },
      { name: 'style', required: false },
    ],
  };

  test('of all pages get a text for each argument that they require, each prompt once', () => {
    const pages = [{ prompts: [plain, { title: 'no name' }, 7] }, { prompts: [demanding, plain] }];
    expect(choose('prompt-requests', 'prompts/list', ...pages)).toEqual(
      chosen([
        { name: 'plain', arguments: {}, madeUp: false },
        { name: 'demanding', arguments: { code: 'probity' }, madeUp: true },
      ]),
    );
    expect(choose('prompt-with-arguments', 'prompts/list', ...pages)).toEqual(
      chosen([{ name: 'demanding' }]),
    );
    expect(choose('prompt-completions', 'prompts/list', ...pages)).toEqual(
      chosen([
        { ref: { type: 'ref/prompt', name: 'plain' }, argument: { name: 'style', value: '' } },
        { ref: { type: 'ref/prompt', name: 'demanding' }, argument: { name: 'code', value: '' } },
      ]),
    );
  });

  test('are requested up to five', () => {
    const prompts = Array.from({ length: 9 }, (_, index) => ({ name: `p${index}` }));
    const made = choose('prompt-requests', 'prompts/list', { prompts });
    expect(made?.kind === 'chosen' ? made.value : null).toHaveLength(5);
  });

  test('are not needed', () => {
    const none = { prompts: [] };
    expect(choose('prompt-requests', 'prompts/list', none)).toEqual(notNeeded('the server lists no prompts'));
    expect(choose('prompt-with-arguments', 'prompts/list', { prompts: [plain] })).toEqual(
      notNeeded('no prompt requires an argument'),
    );
    expect(choose('prompt-completions', 'prompts/list', none)).toEqual(
      notNeeded('no prompt has an argument'),
    );
  });
});

describe('resources', () => {
  const page = {
    resources: [{ uri: 'https://example.com/a' }, { uri: 'file:///a.txt?b#c' }, { uri: 'file:///d' }],
  };

  test('are read unless clients can load them from the web', () => {
    expect(choose('resource-reads', 'resources/list', page)).toEqual(
      chosen([{ uri: 'file:///a.txt?b#c' }, { uri: 'file:///d' }]),
    );
    expect(choose('first-resource', 'resources/list', page)).toEqual(chosen([{ uri: 'file:///a.txt?b#c' }]));
  });

  test('that do not exist have an address like the others', () => {
    expect(choose('unknown-resource', 'resources/list', page)).toEqual(
      chosen('file:///a.txt-probity-unknown'),
    );
    expect(choose('unknown-resource', 'resources/list', { resources: [] })).toEqual(
      chosen('probity://resource-probity-unknown'),
    );
  });

  test('are not needed', () => {
    expect(choose('resource-reads', 'resources/list', { resources: [] })).toEqual(
      notNeeded('the server lists no resources that it must read itself'),
    );
    expect(choose('first-resource', 'resources/list', {})).toEqual(
      notNeeded('the server lists no resources'),
    );
  });

  test('of templates are completed by the first variable', () => {
    const resourceTemplates = ['a:b', 'a:{+path*,x}', 'a:{?q:3}', 'a:{z}'].map((uriTemplate) => ({
      uriTemplate,
    }));
    const completion = (uri: string, name: string): unknown => ({
      ref: { type: 'ref/resource', uri },
      argument: { name, value: '' },
    });
    expect(choose('template-completions', 'resources/templates/list', { resourceTemplates })).toEqual(
      chosen([completion('a:{+path*,x}', 'path'), completion('a:{?q:3}', 'q')]),
    );
    expect(choose('template-completions', 'resources/templates/list', {})).toEqual(
      notNeeded('no template has a variable'),
    );
  });
});
