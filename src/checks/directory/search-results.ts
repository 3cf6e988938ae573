import { ownProperty, showJson } from '../../model/json.ts';
import { failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { searchPage } from './search-page.ts';

export const searchResults = defineCheck(
  'answer',
  'search-results',
  'the body is a page of search results: servers, an array, and pagination, an object',
  ({ exchange }) => {
    const { value, problem } = jsonBody(exchange);
    if (searchPage(value) !== null) return passed;
    const expected = 'a JSON object with servers, an array, and pagination, an object';
    if (value === undefined)
      return (problem.serversFault ? failed : undecided)({
        message: problem.message,
        expected,
        received: problem.received,
      });
    const servers = ownProperty(value, 'servers');
    const [name, kind, found] = Array.isArray(servers)
      ? (['pagination', 'object', ownProperty(value, 'pagination')] as const)
      : (['servers', 'array', servers] as const);
    return failed({
      message: found === undefined ? `${name} is missing` : `${name} is not an ${kind}`,
      expected,
      received: `${name}: ${showJson(found)}`,
      ...(found === undefined ? {} : { pointer: `/${name}` }),
    });
  },
);
