import type { FastifyInstance, HTTPMethods } from 'fastify';
import { Problem } from './problem.ts';

/** Answers 405 for every method that a path does not accept. Call the returned function after all routes are added. */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  const taken = new Map<string, Set<HTTPMethods>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = taken.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one as HTTPMethods);
    taken.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...taken]) {
      const others = app.supportedMethods.filter((method) => !methods.has(method));
      if (others.length === 0) continue;
      const allow = [...methods].join(', ');
      const refuse = async (): Promise<never> => {
        throw new Problem('method-not-allowed', `This path accepts ${allow}.`, { headers: { allow } });
      };
      // In `onRequest`, so the body is not read.
      app.route({ url, method: others, schema: { hide: true }, onRequest: refuse, handler: refuse });
    }
  };
}
