import { isJsonObject, type JsonObject } from '../../validate-input.ts';

/** A request to the client: for text of a model, for the input of its user, or for the folders that it works on. */
export type Question = {
  readonly method: 'sampling/createMessage' | 'elicitation/create' | 'roots/list';
  readonly params: JsonObject;
};

/** By names that the server chooses. */
export type Questions = Readonly<Record<string, Question>>;
export type Answers = Readonly<Record<string, JsonObject>>;

/** The capabilities that a client must declare to be asked this, as it would declare them. */
const requiredFor = ({ method, params }: Question): JsonObject => {
  switch (method) {
    case 'sampling/createMessage':
      return { sampling: 'tools' in params ? { tools: {} } : {} };
    case 'elicitation/create':
      return { elicitation: params.mode === 'url' ? { url: {} } : { form: {} } };
    case 'roots/list':
      return { roots: {} };
  }
};

/** Those of the required capabilities that the client did not declare. */
export const missingCapabilities = (
  declared: JsonObject,
  questions: readonly Question[],
): JsonObject | undefined => {
  const missing = questions.map(requiredFor).filter((required) => !isDeclared(declared, required));
  return missing.length === 0 ? undefined : Object.assign({}, ...missing);
};

const isDeclared = (declared: JsonObject, required: JsonObject): boolean =>
  Object.entries(required).every(([name, parts]) => {
    const given = declared[name];
    if (!isJsonObject(given) || !isJsonObject(parts)) return false;
    // Clients that know one mode of elicitation declare none.
    const isFormAlone = name === 'elicitation' && Object.keys(given).length === 0;
    return Object.keys(parts).every((part) => isJsonObject(given[part]) || (isFormAlone && part === 'form'));
  });

/** Whether an answer has what the answers to this question must have. */
export const fits = ({ method, params }: Question, answer: unknown): answer is JsonObject => {
  if (!isJsonObject(answer)) return false;
  const { action, content, roots } = answer;
  switch (method) {
    case 'sampling/createMessage':
      return typeof content === 'object' && content !== null;
    case 'elicitation/create':
      if (action === 'accept') return params.mode === 'url' || isJsonObject(content);
      return action === 'decline' || action === 'cancel';
    case 'roots/list':
      return (
        Array.isArray(roots) && roots.every((root) => isJsonObject(root) && typeof root.uri === 'string')
      );
  }
};
