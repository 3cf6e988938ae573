import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../http/problem.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { isFromOwnPage } from './reader.ts';

const MAX_FORM_BYTES = 16 * 1024;

/** Reads the bodies of a scope as forms, whatever their type says. */
export function acceptForms(pages: FastifyInstance): void {
  pages.removeAllContentTypeParsers();
  pages.addContentTypeParser(
    '*',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    async (_request: FastifyRequest, body: string) => new URLSearchParams(body),
  );
}

/** The fields of a form. Throws a problem when it was not sent from a page of the directory. */
export function formOf(request: FastifyRequest, settings: ServiceSettings): URLSearchParams {
  if (!isFromOwnPage(request, settings))
    throw new Problem(
      'bad-request',
      'This form was not sent from a page of this directory. If the directory is behind a proxy, its operator must set --public-url.',
    );
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}

export function redirectTo(reply: FastifyReply, to: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(to, 303);
}
