import type { FastifyInstance } from 'fastify';
import { answerRead, taggedBody } from '../http/cached-answer.ts';

/** Fastify declares every body with a schema as required. A route marks one that may be missing. */
export const OPTIONAL_BODY = { 'x-body-optional': true } as const;

function withOptionalBodies(document: object): string {
  return JSON.stringify(document, (_key, value) => {
    if (value?.['x-body-optional'] !== true) return value;
    const { 'x-body-optional': _mark, requestBody, ...operation } = value;
    return { ...operation, requestBody: { ...requestBody, required: false } };
  });
}

/** The OpenAPI document of the platform API; it needs no key. */
export function openApiRoute(app: FastifyInstance): void {
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    const body = taggedBody(withOptionalBodies(app.swagger()));
    return answerRead(reply, body, { type: 'application/json', isPublic: true });
  });
}
