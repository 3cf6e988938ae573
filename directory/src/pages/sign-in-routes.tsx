import type { FastifyInstance, FastifyReply } from 'fastify';
import type { VNode } from 'preact';
import { endSession, openSession, SESSION_TOKEN_PATTERN } from '../accounts/sessions.ts';
import { countCall } from '../http/authorise.ts';
import { PROBLEMS, type ProblemCode } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import type { GivenParameters } from '../search/search-query.ts';
import type { Scope } from '../settings/settings.ts';
import { formOf, redirectTo } from './forms.ts';
import { Layout, PLAIN, sendUncachedPage } from './layout.tsx';
import { sessionCookie, sessionTokenIn } from './reader.ts';

/** `next` is a page of the directory, and `problem` why signing in failed. */
function SignInPage({ next, problem }: Readonly<{ next: string; problem: string | null }>): VNode {
  return (
    <Layout title="Sign in">
      <section class="sign-in" aria-labelledby="sign-in-title">
        <h1 id="sign-in-title">Sign in</h1>
        <p>
          This page requires an API key with the scope <code>{scopeFor(next)}</code>. Ask the operator of this
          directory for one.
        </p>
        <form method="post" action="/sign-in">
          <input type="hidden" name="next" value={next} />
          {/* Password managers store a key under a user name. */}
          <input type="text" name="username" value="API key" autocomplete="username" hidden readOnly />
          <label for="key">API key</label>
          <input
            id="key"
            name="key"
            type="password"
            autocomplete="current-password"
            required
            maxLength={200}
            spellcheck={false}
            {...(problem === null ? {} : { 'aria-invalid': 'true', 'aria-describedby': 'key-problem' })}
          />
          {problem === null ? null : (
            <p id="key-problem" class="problem">
              {problem}
            </p>
          )}
          <button type="submit">Sign in</button>
        </form>
        <p class="about">
          The key is sent once and not stored in the browser. It opens a session of 12 hours, which ends when
          the key is revoked.
        </p>
        {next === '/' ? null : (
          <p class="about">
            Already signed in, and followed a link from another site? <a href={next}>Open the page.</a>
          </p>
        )}
      </section>
    </Layout>
  );
}

/** Signing in to pages that are not public, and signing out. */
export function signInRoutes(pages: FastifyInstance, { store, front, settings }: Service): void {
  pages.get<{ Querystring: GivenParameters }>('/sign-in', PLAIN, async (request, reply) => {
    const to = pageAfter(request.query.get('next')?.at(-1) ?? null);
    if (isOpen(to)) return redirectTo(reply, to);
    return sendUncachedPage(reply, 200, <SignInPage next={to} problem={null} />);
  });

  // Everybody may read public pages, but only an operator those of the operator.
  const isOpen = (to: string): boolean => settings.publicPages && scopeFor(to) === 'read';

  // Where everybody may read, only an operator comes to the form by itself.
  const pageAfter = (next: string | null): string =>
    next === null && settings.publicPages ? '/admin' : nextPage(next);

  pages.post('/sign-in', PLAIN, async (request, reply) => {
    const form = formOf(request, settings);
    const next = pageAfter(form.get('next'));
    if (isOpen(next)) return redirectTo(reply, next);
    const refuse = (code: ProblemCode, problem: string): FastifyReply =>
      sendUncachedPage(reply, PROBLEMS[code].status, <SignInPage next={next} problem={problem} />);
    const caller = await front.keys.find((form.get('key') ?? '').trim());
    if (caller === null) {
      reply.header('www-authenticate', 'Bearer realm="probity directory"');
      return refuse('unauthorised', 'This API key is unknown, revoked or expired.');
    }
    await countCall(front, reply, caller, settings.limits.read);
    const scope = scopeFor(next);
    if (!caller.scopes.includes(scope))
      return refuse('scope-missing', `This API key lacks the scope “${scope}”, which the page requires.`);
    const before = sessionTokenIn(request, settings);
    if (before !== null) await endSession(store.db, before);
    const token = await openSession(store.db, caller.keyId);
    return redirectTo(reply.header('set-cookie', sessionCookie(request, settings, token)), next);
  });

  pages.post('/sign-out', PLAIN, async (request, reply) => {
    formOf(request, settings);
    const token = sessionTokenIn(request, settings);
    if (token !== null && SESSION_TOKEN_PATTERN.test(token)) await endSession(store.db, token);
    const cleared = { 'set-cookie': sessionCookie(request, settings, null), 'clear-site-data': '"cache"' };
    return redirectTo(reply.headers(cleared), '/sign-in');
  });
}

const OWN_PAGE =
  /^\/((admin\/)?servers\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}|admin(\/log|\/policy)?)?(\?[!-~]*)?$/;
const MAX_CHARACTERS = 2000;

/** The page to open after signing in. Anything but a page of the directory becomes the search page. Pure. */
export function nextPage(given: string | null): string {
  return given !== null && given.length <= MAX_CHARACTERS && OWN_PAGE.test(given) ? given : '/';
}

/** The scope that the session of a page needs. */
function scopeFor(page: string): Scope {
  return /^\/admin([/?]|$)/.test(page) ? 'admin' : 'read';
}
