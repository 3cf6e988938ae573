import type { VNode } from 'preact';
import { Layout } from './layout.tsx';

export function SignInPage({
  next,
  problem,
}: {
  /** One of our own pages. */
  readonly next: string;
  /** Why signing in did not work. */
  readonly problem: string | null;
}): VNode {
  return (
    <Layout title="Sign in">
      <section class="sign-in" aria-labelledby="sign-in-title">
        <h1 id="sign-in-title">Sign in</h1>
        <p>
          This directory is read with an API key. Its operator makes one for you, with the scope{' '}
          <code>read</code>.
        </p>
        <form method="post" action="/sign-in">
          <input type="hidden" name="next" value={next} />
          {/* Managers of passwords keep a key under a name. */}
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
          The key is sent once and not kept in the browser: a session of 12 hours takes its place, and ends
          when the key is revoked.
        </p>
        {next === '/' ? null : (
          <p class="about">
            Signed in already, and came by a link from elsewhere? <a href={next}>Go on to the page.</a>
          </p>
        )}
      </section>
    </Layout>
  );
}
