import type { Form } from 'probity/model';
import { createReference } from '../../src/reference/contract.ts';
import { referenceFunctions } from '../../src/reference/functions.ts';
import { type ServedTarget, serve } from '../../test/conforming/serve.ts';
import { eventually } from '../../test/eventually.ts';
import type { DirectoryUnderTest } from './directory-under-test.ts';

/** A test calls each function many times, so two are enough where their number is not the point. */
export const FEW_FUNCTIONS = referenceFunctions.filter(({ name }) => ['add', 'divide'].includes(name));

/**
 * A conforming server that does not answer GET /health until `release`, so that a test of it keeps running; `asked`
 * resolves when the first one has come, so after the test read its entry.
 */
export async function startBlockedServer(
  form: Form,
): Promise<ServedTarget & { readonly asked: Promise<void>; readonly release: () => void }> {
  let release = (): void => undefined;
  let noteAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    noteAsked = resolve;
  });
  const free = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reference = createReference({ form, functions: FEW_FUNCTIONS });
  const served = await serve(async (request) => {
    if (request.path === '/health') {
      noteAsked();
      await free;
    }
    return reference.answer(request);
  });
  return { ...served, asked, release };
}

/** Waits until a directory has this number of unanswered requests. */
export async function requestsUnderWay({ metrics }: DirectoryUnderTest, count: number): Promise<void> {
  await eventually(metrics, (text) => text.includes(`\nprobity_http_requests_under_way ${count}\n`));
}
