import type { FastifyInstance, FastifyRequest } from 'fastify';
import { decodeJson } from 'probity/model';
import { badBody } from './bad-request.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it was written. */
    bodyText: string;
    /** Whether all of its numbers are in the parsed body as they were written. */
    bodyIsExact: boolean;
  }
}

/** Lets the routes of a scope take JSON and nothing else: strictly, and with its text, which keeps what no double can hold. */
export function takeJson(scope: FastifyInstance): void {
  scope.decorateRequest('bodyText', '');
  scope.decorateRequest('bodyIsExact', true);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (bytes.byteLength === 0) return undefined;
      const { value, problem, numbers } = decodeJson(bytes);
      if (problem !== null)
        throw badBody(`${problem.message}${problem.pointer ? ` (${problem.pointer})` : ''}`, request);
      request.bodyText = bytes.toString('utf8');
      request.bodyIsExact = numbers.length === 0;
      return value;
    },
  );
}
