import type { FastifyReply, FastifyRequest } from 'fastify';
import { visible } from 'probity/model';
import { type Problem, problemBody } from '../http/problem.ts';
import { Layout, sendUncachedPage } from './layout.tsx';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route always answers with a page, also for a problem; `sign-in`: the page can be read after signing in. */
    readonly page?: 'sign-in' | 'plain';
  }
}

/** Whether a problem is shown as a page: on the paths of pages, and to browsers on unknown paths outside the API. */
export function wantsPage(request: FastifyRequest): boolean {
  if (!request.is404) return request.routeOptions.config.page !== undefined;
  const isOfApi = /^\/v(?:0\.)?1(?:[/?]|$)/.test(request.url);
  return !isOfApi && (request.headers.accept ?? '').includes('text/html');
}

export function answerProblemPage(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
): FastifyReply {
  const canSignIn = !request.is404 && request.routeOptions.config.page === 'sign-in';
  const signIn = `/sign-in?next=${encodeURIComponent(request.url)}`;
  if (problem.code === 'unauthorised' && canSignIn && request.headers.authorization === undefined)
    return reply.header('cache-control', 'no-store').redirect(signIn, 303);
  const { status, title, detail } = problemBody(problem, request.id);
  return sendUncachedPage(
    reply.headers({ ...problem.headers }),
    status,
    <Layout title={title}>
      <div class={status === 404 ? 'verdict' : 'verdict fail'}>
        <p class="brand">{status}</p>
        <h1>{title}</h1>
        <p class="words">
          {problem.code === 'server-not-found' ? 'No server with this id.' : visible(detail)}
        </p>
        {status === 401 && canSignIn ? (
          <p>
            <a href={signIn}>Sign in</a>
          </p>
        ) : null}
        <p>
          <a href="/">Search the directory</a>
        </p>
        {status >= 500 ? (
          <p class="about">
            Request <code>{request.id}</code>
          </p>
        ) : null}
      </div>
    </Layout>,
  );
}
