import type { FastifyInstance, FastifyRequest } from 'fastify';
import { decodeJson } from 'probity/model';
import { badBody } from './bad-request.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The text of the body. */
    bodyText: string;
    /** Whether the parsed body holds all numbers without rounding. */
    bodyIsExact: boolean;
  }
}

/** Routes of the scope accept only strict JSON. They also get its text, which holds numbers that a double cannot. */
export function acceptJsonOnly(scope: FastifyInstance): void {
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
