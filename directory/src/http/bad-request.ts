import type { FastifyError, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import {
  isJsonObject,
  type Json,
  jsonTypeOf,
  type RecordSchema,
  schemaWords,
  shorten,
  showJson,
} from 'probity/model';
import { Problem } from './problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What to send in the place of a body that is wrong. */
    readonly bodyRemedy?: string;
    /** What is wrong with a header that its schema refuses, and what to send. */
    readonly headerRemedy?: string;
  }
}

/** What a caller is told of a part of a request that does not fit its schema. */
export function validationProblem(
  { validation = [], validationContext }: Partial<FastifyError>,
  request: FastifyRequest,
): Problem {
  const { headerRemedy } = request.routeOptions.config;
  if (validationContext === 'headers' && headerRemedy !== undefined)
    return new Problem('bad-request', headerRemedy);
  return badBody((validation as SchemaError[]).map(wordsOf).join('; '), request);
}

export function badBody(what: string, request: FastifyRequest): Problem {
  return new Problem(
    'bad-body',
    `The body is wrong: ${what}. ${request.routeOptions.config.bodyRemedy ?? ''}`.trim(),
  );
}

/** As the validator tells it when it is verbose. */
interface SchemaError extends FastifySchemaValidationError {
  readonly data: Json;
  readonly parentSchema: RecordSchema;
}

const MAX_NAMED = 5;

function wordsOf({ keyword, instancePath, params, data, parentSchema }: SchemaError): string {
  if (instancePath === '' && data === null) return 'the body is empty';
  const name = instancePath === '' ? 'it' : JSON.stringify(instancePath.slice(1));
  if (keyword === 'required') return `"${params.missingProperty}" is missing`;
  if (keyword === 'additionalProperties' && isJsonObject(data)) {
    const known = Object.keys(parentSchema.properties ?? {});
    const unknown = Object.keys(data).filter((key) => !known.includes(key));
    const named = unknown.slice(0, MAX_NAMED).map((key) => shorten(JSON.stringify(key), 60));
    const more = unknown.length > MAX_NAMED ? `, and ${unknown.length - MAX_NAMED} more` : '';
    const allowed = known.map((key) => JSON.stringify(key)).join(' and ');
    return `${name} holds ${named.join(', ')}${more}, and may hold ${allowed} only`;
  }
  return `${name} must be ${schemaWords(parentSchema)}, not ${keyword === 'type' ? jsonTypeOf(data) : showJson(data)}`;
}
