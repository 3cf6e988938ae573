import { NO_SUCH_OPERATION } from '../checks/errors/error-answer.ts';
import { jsonBody } from '../checks/json/json-body.ts';
import { canonicalJson, ownProperty } from '../json/json.ts';
import type { AnsweredExchange, Exchange } from '../model/exchange.ts';
import { failed } from '../model/judgement.ts';
import type { Assertion, Step } from '../model/suite.ts';
import type { InstanceRun, RunRecord } from '../run/state/record.ts';
import { operationOf } from '../run/steps/operation.ts';
import { asksExecute } from '../run/steps/step-kinds.ts';
import type { JudgedAssertion } from './judge-context.ts';
import { blocked } from './not-judged.ts';

/** The target has no /execute, with the assertion that reports it and the call that shows it. */
export interface MissingExecute {
  readonly assertion: Assertion;
  readonly instance: InstanceRun;
  readonly exchange: AnsweredExchange;
}

const NOT_FOUND = 404;
/** Replaces the path of a request in what the target says of it. */
const PLACE = '(path)';

/**
 * Null if the target has an /execute. It has none if each call, also of a name that is not listed, got the same 404, 405
 * or 501. A function may refuse made-up inputs with a 404 that describes an error: that counts only if it names the path,
 * or if the target answers other requests that nothing handles like that. Pure.
 */
export function missingExecute(
  { steps, exchanges }: RunRecord,
  listed: ReadonlySet<string>,
  targetUrl: string,
): MissingExecute | null {
  const calls = steps.flatMap((run) =>
    run.kind === 'ran' && run.step.request?.kind === 'execute'
      ? run.instances.flatMap((instance) =>
          instance.exchanges.map((exchange) => ({ step: run.step, instance, exchange })),
        )
      : [],
  );
  const isOfListed = ({ functionName }: InstanceRun): boolean => listed.has(functionName ?? '');
  const first = calls.find(({ step, instance }) => callsWithSamples(step) && isOfListed(instance));
  const assertion = first?.step.expect.find(({ kind }) => kind === 'status');
  if (first === undefined || assertion === undefined || first.exchange.kind !== 'answered') return null;
  const { instance, exchange } = first;
  const answer = unhandledAnswer(exchange);
  const isAlike =
    answer !== null &&
    calls.every((call) => unhandledAnswer(call.exchange) === answer) &&
    calls.some((call) => !isOfListed(call.instance));
  if (!isAlike) return null;
  const isOfOtherRequest = (other: Exchange): boolean =>
    (!('method' in other.request) ||
      other.request.method !== 'POST' ||
      operationOf(other, targetUrl) !== 'execute') &&
    unhandledAnswer(other) === answer;
  const mayBeRefusal =
    exchange.response.status === NOT_FOUND && answer !== String(NOT_FOUND) && !answer.includes(PLACE);
  return mayBeRefusal && !exchanges.some(isOfOtherRequest) ? null : { assertion, instance, exchange };
}

/** While a run goes on: whether it may turn out that the target has no /execute, as it is judged after the run. */
export class MaybeMissingExecute {
  /** The requirement that fails then too. */
  readonly #reporter: string | undefined;
  #answer: string | null = null;
  #isPossible: boolean;

  constructor(steps: readonly Step[]) {
    const ofSamples = steps.filter(callsWithSamples).flatMap(({ expect }) => expect);
    this.#reporter = ofSamples.find(({ kind }) => kind === 'status')?.requirement;
    this.#isPossible = this.#reporter !== undefined;
  }

  get isPossible(): boolean {
    return this.#isPossible;
  }

  note({ request }: Step, exchange: Exchange): void {
    if (!this.#isPossible || request?.kind !== 'execute') return;
    const answer = unhandledAnswer(exchange);
    this.#isPossible = answer !== null && answer === (this.#answer ?? answer);
    this.#answer = answer;
  }

  /** Whether a failure that the answer to a step shows is none then. */
  mayBeWhy({ request }: Step, { requirement }: Assertion): boolean {
    return this.#isPossible && asksExecute(request) && requirement !== this.#reporter;
  }
}

function callsWithSamples({ request }: Step): boolean {
  return request?.kind === 'execute' && request.arguments.kind === 'sample';
}

/** The status, and the described error without what repeats the request; null if the target handled the request. */
function unhandledAnswer(exchange: Exchange): string | null {
  if (exchange.kind !== 'answered' || !NO_SUCH_OPERATION.has(exchange.response.status)) return null;
  const { request, response } = exchange;
  if (response.bodyProblem !== undefined) return null;
  const { value } = jsonBody(exchange);
  const error = ownProperty(value, 'error');
  const hasRead =
    ownProperty(value, 'requestId') !== undefined || ownProperty(error, 'code') === 'FUNCTION_NOT_FOUND';
  if (hasRead) return null;
  if (error === undefined) return String(response.status);
  const { pathname } = new URL(request.url);
  const said = canonicalJson([ownProperty(error, 'code') ?? error, ownProperty(error, 'message') ?? null]);
  return `${response.status} ${said.replaceAll(pathname, PLACE).replaceAll(request.method, '')}`;
}

/** Reports the missing operation once. Nothing else is judged on answers to requests that nothing handled. */
export function judgeWithoutExecute(
  { expect }: Step,
  { assertion: reporter, instance, exchange }: MissingExecute,
): readonly JudgedAssertion[] {
  const finding = failed({
    message: '/execute is missing: nothing handles a call',
    expected: 'an answer of /execute',
    received: `status ${exchange.response.status}`,
    advice:
      'Register `POST /execute` under the same prefix as `/health` and `/capabilities`. A proxy before the server must pass it on.',
  });
  return expect.map((assertion) =>
    assertion === reporter
      ? { assertion, instance: { ...instance, functionName: null }, exchange, finding }
      : { assertion, instance: null, exchange: null, finding: blocked(reporter.requirement) },
  );
}
