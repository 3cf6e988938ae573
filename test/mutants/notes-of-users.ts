import type { Conform, Mutant, MutantRequest, RawAnswer } from './mutant.ts';
import { type Capabilities, type DescriptorA, type DescriptorB, json } from './mutations.ts';

const text = { type: 'string', description: 'A text.' } as const;
const FUNCTIONS = [
  { name: 'create_note', description: 'Creates a note.', takes: ['text'], example: { text: 'milk' } },
  { name: 'get_note', description: 'Gets a note by its id.', takes: ['id'], example: { id: 'note-0' } },
  { name: 'delete_note', description: 'Deletes a note by its id.', takes: ['id'], example: { id: 'note-0' } },
] as const;

/** The reference server with functions that keep notes of its users, for the mistakes of a server with users. */
export function notesOfUsers(isOpenTo: (functionName: string) => boolean): Mutant['mutate'] {
  return () => {
    const notes = new Map<string, { readonly owner: string | undefined; readonly text: string }>();
    let count = 0;
    const called = (
      name: string,
      { id = '', text: given = '' }: Readonly<Record<string, string>>,
      user?: string,
    ) => {
      if (name === 'create_note') {
        count += 1;
        notes.set(`note-${count}`, { owner: user, text: given });
        return { id: `note-${count}`, text: given };
      }
      const note = notes.get(id);
      if (note === undefined || (note.owner !== user && !isOpenTo(name))) return null;
      if (name === 'delete_note') notes.delete(id);
      return { id, text: note.text };
    };
    return async (request, conform) => {
      const known = FUNCTIONS.find(({ name }) => name === request.call.function);
      if (request.operation === 'capabilities') return withNotes(request, conform);
      if (request.operation !== 'execute' || known === undefined) return conform(request);
      const { input, parameters, requestId } = request.call;
      const result = called(
        known.name,
        (input ?? parameters ?? {}) as Record<string, string>,
        request.authorization,
      );
      const isFormB = input === undefined;
      if (result === null)
        return json(404, { error: { code: 'NOT_FOUND', message: 'There is no such note.' }, requestId });
      return json(200, isFormB ? { requestId, result, executionTime: 1 } : { output: result });
    };
  };
}

async function withNotes(request: MutantRequest, conform: Conform): Promise<RawAnswer> {
  const answer = await conform(request);
  if (answer.status !== 200) return answer;
  const record = JSON.parse(answer.body.toString()) as Capabilities<DescriptorA | DescriptorB>;
  const isFormB = record.functions.some((one) => 'parameters' in one);
  const object = (names: readonly string[]) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, text])),
    required: names,
  });
  const own = FUNCTIONS.map(({ name, description, takes, example }) => ({
    name,
    description,
    ...(isFormB
      ? { parameters: object(takes), returns: object(['id', 'text']), examples: [{ parameters: example }] }
      : { inputs: takes, outputs: ['id', 'text'], examples: [{ input: example }] }),
  }));
  return {
    ...answer,
    body: Buffer.from(JSON.stringify({ ...record, functions: [...record.functions, ...own] })),
  };
}
