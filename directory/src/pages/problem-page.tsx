import type { VNode } from 'preact';
import { visible } from 'probity/model';
import { type Problem, problemBody } from '../http/problem.ts';
import { Layout } from './layout.tsx';

export function ProblemPage({
  problem,
  requestId,
}: {
  readonly problem: Problem;
  readonly requestId: string;
}): VNode {
  const { status, title, detail } = problemBody(problem, requestId);
  return (
    <Layout title={title}>
      <div class={status === 404 ? 'verdict' : 'verdict fail'}>
        <p class="brand">{status}</p>
        <h1>{title}</h1>
        <p class="words">{visible(detail)}</p>
        <p>
          <a href="/">Search the directory</a>
        </p>
        {status >= 500 ? (
          <p class="about">
            Request <code>{requestId}</code>
          </p>
        ) : null}
      </div>
    </Layout>
  );
}
