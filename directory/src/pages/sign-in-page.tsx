import type { VNode } from 'preact';
import { Layout } from './layout.tsx';

export function SignInPage({
  next,
  problem,
}: {
  /** A page of the directory. */
  readonly next: string;
  /** Why signing in failed. */
  readonly problem: string | null;
}): VNode {
  return (
    <Layout title="Sign in">
      <section class="sign-in" aria-labelledby="sign-in-title">
        <h1 id="sign-in-title">Sign in</h1>
        <p>
          The pages of this directory require an API key with the scope <code>read</code>. Ask the operator
          for one.
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
