import { canonicalJson, isJsonObject, ownProperty, sameJson, showJson } from '../../json/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { nextCursor } from '../../wires/mcp/lists.ts';
import { toolsOn } from '../../wires/mcp/tools.ts';
import { defineCheck, judgeEach, notApplied } from '../define-check.ts';
import { answersOf, nameOf, type PagedTool, toolsIn } from './received.ts';

export const toolsAnnounced = defineCheck(
  'json',
  'tools-announced',
  'a server that lists tools has the capability tools',
  ({ exchange, opened }) => {
    if (opened === null || toolsOn(exchange).length === 0) return inapplicable('the server lists no tools');
    if (Object.hasOwn(opened.capabilities, 'tools')) return passed;
    return failed({
      message: 'the server lists tools, but not the capability tools when a conversation is opened',
      expected: 'tools in capabilities',
      received: canonicalJson(opened.capabilities),
      pointer: '/result/tools',
    });
  },
);

export const toolNamesUnique = defineCheck(
  'step',
  'tool-names-unique',
  'no two tools on any page have the same name',
  ({ asked }) => {
    const tools = toolsIn(asked);
    if (tools.length === 0) return inapplicable('the server lists no tools');
    // Pages that repeat are the fault of another row, and list the same tools again.
    const given = answersOf(asked).flatMap((page) => nextCursor(page) ?? []);
    const repeats = new Set(given).size < given.length;
    const seen = new Map<unknown, PagedTool>();
    return judgeEach(tools, (listed) => {
      const { tool, pointer, exchangeKey } = listed;
      const name = ownProperty(tool, 'name');
      const earlier = seen.get(name);
      if (earlier === undefined) {
        seen.set(name, listed);
        return passed;
      }
      if (repeats && sameJson(tool, earlier.tool)) return passed;
      return failed({
        message: `the tool ${nameOf(tool)} is listed twice`,
        expected: 'each name once',
        received: `the same name at ${earlier.pointer} and ${pointer}`,
        pointer: `${pointer}/name`,
        exchangeKey,
      });
    });
  },
);

export const hintsAgree = defineCheck(
  'step',
  'hints-agree',
  'no tool is annotated as read-only and destructive at once',
  ({ asked }) => {
    const annotated = toolsIn(asked).filter(({ tool }) => ownProperty(tool, 'annotations') !== undefined);
    if (annotated.length === 0) return inapplicable('no tool has annotations');
    return judgeEach(annotated, ({ tool, pointer, exchangeKey }) => {
      const hints = ownProperty(tool, 'annotations');
      const isTrue = (name: string): boolean => ownProperty(hints, name) === true;
      if (!isTrue('readOnlyHint') || !isTrue('destructiveHint')) return passed;
      return failed({
        message: `the annotations of the tool ${nameOf(tool)} contradict each other`,
        expected: 'readOnlyHint or destructiveHint, not both',
        received: 'readOnlyHint: true and destructiveHint: true',
        pointer: `${pointer}/annotations`,
        exchangeKey,
      });
    });
  },
);

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
      if (read.kind === 'usable') return passed;
      if (read.kind === 'unusable')
        return { ...notApplied(`${what} cannot be applied`, read.reason, pointer), exchangeKey };
      return failed({
        message: `${what} is not a valid JSON Schema`,
        expected: read.problem.expected,
        received: read.problem.received,
        pointer: pointer + read.problem.pointer,
        exchangeKey,
        advice: read.problem.advice,
      });
    });
  },
  { options: { in: { doc: 'inputSchema or outputSchema.', required: true } } },
);
