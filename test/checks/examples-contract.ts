import { expect } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import { contract, tool } from '../contract/contracts.ts';
import {
  answer,
  cannotJudge,
  type Example,
  fails,
  type Given,
  notApplicable,
  passes,
  undecided,
} from './example.ts';
import { asked, heard, ok, request } from './messages.ts';

const forecast = tool('forecast', { city: { type: 'string' } }, ['city']);
const {
  revision: _revision,
  capabilities: _capabilities,
  ...older
} = contract({ functions: [forecast], server: {} });

const listed = (inputSchema: Json, name = 'forecast'): Given => ({
  ...asked(heard(request('tools/list'), [ok({ tools: [{ name, inputSchema }] })])),
  form: 'mcp',
  demands: { contract: older },
});

/** Examples of the check of the contract that the user gave. */
export const examplesOfContract: readonly Example[] = [
  { check: 'contract-kept', what: 'the tools of the contract', given: listed(forecast.input), finds: passes },
  {
    check: 'contract-kept',
    what: 'a list of which a page is missing',
    given: {
      ...asked(
        heard(request('tools/list'), [
          ok({ tools: [{ name: 'forecast', inputSchema: forecast.input }], nextCursor: 'more' }),
        ]),
      ),
      form: 'mcp',
      demands: { contract: older },
    },
    finds: undecided({ message: expect.stringContaining('not all pages were read of functions') }),
  },
  {
    check: 'contract-kept',
    what: 'an argument that is required now',
    given: listed({ type: 'object', properties: { city: {}, days: {} }, required: ['city', 'days'] }),
    finds: fails({ function: 'forecast', pointer: '/result/tools/0/inputSchema/properties/days' }),
  },
  {
    check: 'contract-kept',
    what: 'a tool that is gone',
    given: listed(forecast.input, 'weather'),
    finds: fails({ message: 'the tool "forecast": it was removed' }),
  },
  {
    check: 'contract-kept',
    what: 'a change of which nothing can be told',
    given: listed({
      type: 'object',
      properties: { city: { type: 'string', format: 'uri' } },
      required: ['city'],
    }),
    finds: undecided({ function: 'forecast' }),
  },
  {
    check: 'contract-kept',
    what: 'a server that speaks the REST contract now',
    given: {
      asked: [
        {
          exchange: answer({
            value: { functions: [{ name: 'forecast', parameters: forecast.input }] },
            request: { url: 'http://target.example/capabilities' },
          }),
          call: null,
          item: undefined,
        },
      ],
      form: 'B',
      demands: { contract: older },
    },
    finds: fails({ message: 'the server: it spoke the Model Context Protocol and speaks form B' }),
  },
  {
    check: 'contract-kept',
    what: 'no contract',
    given: { ...listed(forecast.input), demands: {} },
    finds: notApplicable('no contract was given'),
  },
  {
    check: 'contract-kept',
    what: 'no list of tools',
    given: { ...asked(heard(request('ping'), [ok({})])), form: 'mcp', demands: { contract: older } },
    finds: cannotJudge('not-listed'),
  },
];
