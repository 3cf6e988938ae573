import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';

type SerializerFactory = ReturnType<typeof SerializerSelector>;
type Serializer = ReturnType<ReturnType<SerializerFactory>>;

const compileFor = SerializerSelector();
const compiled = new Map<string, Serializer>();

/**
 * Compiles equal schemas once in a process. Fastify compiles one for each status of each route, and most of them are the
 * same problem.
 */
export const sharedSerializers: SerializerFactory = (common, options) => {
  const compile = compileFor(common, options);
  const shared = JSON.stringify([common, options]);
  return (route) => {
    const key = `${shared} ${JSON.stringify(route.schema)}`;
    const known = compiled.get(key) ?? compile(route);
    compiled.set(key, known);
    return known;
  };
};
