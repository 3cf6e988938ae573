import { isJsonObject, ownProperty, showJson } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck, judgeEach, notApplied } from '../define-check.ts';
import { nameOf, toolsIn } from './received.ts';

export const toolSchemas = defineCheck(
  'step',
  'tool-schemas',
  'inputSchema of every tool, and outputSchema where it is given, is a valid JSON Schema for objects',
  ({ asked, schemas, options, opened }) => {
    const key = options.in === 'outputSchema' ? 'outputSchema' : 'inputSchema';
    const given = toolsIn(asked).flatMap(({ tool, pointer, exchangeKey }) => {
      const schema = ownProperty(tool, key);
      return schema === undefined && key === 'outputSchema' ? [] : [{ tool, schema, pointer, exchangeKey }];
    });
    if (given.length === 0)
      return inapplicable(
        key === 'outputSchema' ? 'no tool has an outputSchema' : 'the server lists no tools',
      );
    return judgeEach(given, ({ tool, schema, pointer: at, exchangeKey }) => {
      const pointer = `${at}/${key}`;
      const what = `${key} of the tool ${nameOf(tool)}`;
      if (schema === undefined)
        return failed({
          message: `${what} is missing`,
          expected: 'a JSON Schema with "type": "object"; { "type": "object" } for a tool without parameters',
          received: 'nothing',
          pointer: at,
          exchangeKey,
        });
      // From 2026-07-28 on, a tool may return any JSON value.
      const isFree = key === 'outputSchema' && opened?.era === 'stateless';
      if (!isFree && (!isJsonObject(schema) || schema.type !== 'object'))
        return failed({
          message: `${what} is not a schema for objects`,
          expected: 'a JSON Schema with "type": "object"',
          received: showJson(isJsonObject(schema) ? schema.type : schema),
          pointer,
          exchangeKey,
        });
      const read = schemas.foreign(schema);
      switch (read.kind) {
        case 'usable':
          return passed;
        case 'unusable':
          return { ...notApplied(`${what} cannot be applied`, read.reason, pointer), exchangeKey };
        default:
          return failed({
            message: `${what} is not a valid JSON Schema`,
            expected: read.problem.expected,
            received: read.problem.received,
            pointer: pointer + read.problem.pointer,
            exchangeKey,
            advice: read.problem.advice,
          });
      }
    });
  },
  { options: { in: { doc: 'inputSchema or outputSchema.', required: true } } },
);
