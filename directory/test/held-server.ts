import type { Form } from 'probity/model';
import { createReference } from '../../src/reference/contract.ts';
import { type ServedTarget, serve } from '../../test/conforming/serve.ts';
import { eventually } from '../../test/eventually.ts';
import type { DirectoryUnderTest } from './directory-under-test.ts';

/** A sound server that says nothing of its health until it is let go: a test of it is under way for certain. */
export async function startHeldServer(form: Form): Promise<ServedTarget & { readonly letGo: () => void }> {
  let letGo = (): void => undefined;
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const reference = createReference({ form });
  const served = await serve(async (request) => {
    if (request.path === '/health') await free;
    return reference.answer(request);
  });
  return { ...served, letGo };
}

/** Waits until so many requests have come in that a directory has not answered yet. */
export async function requestsUnderWay({ ask }: DirectoryUnderTest, count: number): Promise<void> {
  await eventually(
    async () => (await ask('/metrics')).text(),
    // The one for the metrics is among them.
    (metrics) => metrics.includes(`\nprobity_http_requests_under_way ${count + 1}\n`),
  );
}
