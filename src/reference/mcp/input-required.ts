import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../validate-input.ts';
import { ProtocolError, type Request } from './protocol/messages.ts';
import { type Answers, fits, missingCapabilities, type Questions } from './protocol/questions.ts';

/** People need time to answer. */
const maxStateMs = 600_000;

/** Ends the work on a request that needs the answers of the client first. The request comes again with them. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';
  readonly questions: Questions;

  constructor(questions: Questions) {
    super('The client must answer first.');
    this.questions = questions;
  }
}

/**
 * Without sessions, the server keeps nothing between the rounds of a request: the work begins anew in each round, and the
 * answers of all rounds before travel in `requestState`.
 */
export class Rounds {
  readonly #request: Request;
  readonly #declared: JsonObject;
  readonly #given: JsonObject;
  /** What was asked, and answered, until now. */
  readonly #answers: Record<string, JsonObject> = {};

  constructor(request: Request, declared: JsonObject) {
    const { inputResponses = {}, requestState } = request.params;
    if (!isJsonObject(inputResponses) || !Object.values(inputResponses).every(isJsonObject))
      throw new ProtocolError('invalidParams', 'inputResponses must be an object of objects.');
    this.#request = request;
    this.#declared = declared;
    this.#given = { ...inputResponses, ...(requestState !== undefined && answersIn(requestState, request)) };
  }

  /** Resolves with the answers to all questions. */
  async ask(questions: Questions): Promise<Answers> {
    const missing = missingCapabilities(this.#declared, Object.values(questions));
    if (missing !== undefined)
      throw new ProtocolError('missingRequiredClientCapability', 'The client must offer more.', {
        requiredCapabilities: missing,
      });
    const open: Record<string, Questions[string]> = {};
    const answers: Record<string, JsonObject> = {};
    for (const [name, question] of Object.entries(questions)) {
      const answer = Object.hasOwn(this.#given, name) ? this.#given[name] : undefined;
      if (fits(question, answer)) answers[name] = answer;
      else open[name] = question;
    }
    Object.assign(this.#answers, answers);
    if (Object.keys(open).length > 0) throw new InputRequired(open);
    return answers;
  }

  /** The result that asks the client. */
  resultFor({ questions }: InputRequired): JsonObject {
    return {
      resultType: 'input_required',
      inputRequests: questions,
      requestState: stateOf(this.#answers, this.#request),
    };
  }
}

/** Nobody else can make a state. Several processes that answer for one server need the same secret. */
const secret = randomBytes(32);

const stateOf = (answers: Answers, request: Request): string => {
  const state = { answers, request: digestOf(request), expiresMs: Date.now() + maxStateMs };
  return signed(Buffer.from(JSON.stringify(state)).toString('base64url'));
};

/** The client could change its state, keep it, or send it with another request. */
const answersIn = (requestState: unknown, request: Request): JsonObject => {
  const [text = ''] = String(requestState).split('.', 1);
  const given = Buffer.from(String(requestState));
  const own = Buffer.from(signed(text));
  const isSigned = given.length === own.length && timingSafeEqual(given, own);
  const state = isSigned ? JSON.parse(Buffer.from(text, 'base64url').toString()) : undefined;
  if (state?.request !== digestOf(request) || state.expiresMs < Date.now())
    throw new ProtocolError('invalidParams', 'requestState is not of this request, or has expired.');
  return state.answers;
};

const signed = (text: string): string =>
  `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;

/** Of what a client must repeat in each round. */
const digestOf = ({ method, params: { name, uri, arguments: input } }: Request): string =>
  createHash('sha256')
    .update(JSON.stringify([method, name, uri, input]))
    .digest('base64url');
