import type { CommonContext } from '../checks/define-check.ts';
import type { Exchange } from '../model/exchange.ts';
import type { Finding } from '../model/judgement.ts';
import type { Measurement } from '../model/measurement.ts';
import type { LatencySettings, RunSettings } from '../model/report.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';
import type { Assertion, AssertionOf, Step } from '../model/suite.ts';
import type { Conversation, Era, Opened } from '../model/wire.ts';
import type { ExchangeJudge } from '../run/state/exchange-judge.ts';
import type { InstanceRun, KnownForm } from '../run/state/record.ts';
import type { StatusContext } from './judge-answer.ts';

/** What judging one answer needs besides the answer, and what a check receives besides its options. */
export interface ExchangeContext extends StatusContext, Omit<CommonContext, 'form' | 'options'> {
  /** Form of the operation that the step calls. */
  readonly form: KnownForm;
  /** Of a server of the Model Context Protocol: what both sides agreed on. */
  readonly opened: Opened | null;
  /** The era in which the last conversation was asked for; null if nothing was asked, or while the run lasts. */
  readonly eraAsked: Era | null;
  /** Whether no call of a function was answered in time, although others were: it may only be slow. */
  readonly isSilent: (functionName: string) => boolean;
  /** What the steps before this one found about a requirement, for a listed function or else for the server. */
  readonly earlierFinding: (requirement: string, functionName: string | null) => Finding | undefined;
}

/** What judging all answers of a step needs after the run. */
export interface JudgeContext extends ExchangeContext {
  /** Everything that the run sent. */
  readonly exchanges: readonly Exchange[];
  /** What the processes and sessions of the run showed outside of exchanges. */
  readonly conversations: readonly Conversation[];
  readonly latency: LatencySettings;
  /** The response time of /health, if it was measured. */
  readonly measuredHealth: Measurement | null;
  /** Names of the functions that the target lists, if known. */
  readonly listedFunctions: readonly string[];
}

/** What is known before the first request. */
export interface JudgeBasis {
  readonly settings: RunSettings;
  readonly targetUrl: string;
  readonly schemas: SchemaEvaluator;
}

/** The part of a judge's context that does not depend on answers. */
export function settledContext({ settings, targetUrl, schemas }: JudgeBasis) {
  return {
    schemas,
    targetUrl,
    formForced: settings.form !== 'auto',
    samplesFor: (name: string) =>
      Object.hasOwn(settings.samples, name) ? (settings.samples[name] ?? []) : [],
    keyGiven: settings.headerNames.length > 0,
    givenHeaders: settings.headerNames,
    latency: settings.latency,
    claimedResponseTimeMs: settings.claimedResponseTimeMs,
    demands: settings,
  };
}

export function checkContext({ options }: AssertionOf<'check'>, context: ExchangeContext): CommonContext {
  return { ...context, options, form: context.form.form };
}

/** The finding of an assertion, with its instance and its exchange. */
export interface JudgedAssertion {
  readonly assertion: Assertion;
  readonly instance: InstanceRun | null;
  readonly exchange: Exchange | null;
  readonly finding: Finding;
}

/** An instance of a step with a judge for each of its exchanges. */
export interface AnsweredInstance {
  readonly instance: InstanceRun;
  readonly judges: readonly ExchangeJudge[];
}

export interface AnsweredStep {
  readonly step: Step;
  readonly instances: readonly AnsweredInstance[];
  readonly context: JudgeContext;
}

/** The exchange that a finding is about, if it is one of these. */
export function exchangeOf(finding: Finding, exchanges: readonly Exchange[]): Exchange | null {
  const key = 'exchangeKey' in finding ? finding.exchangeKey : undefined;
  return exchanges.find(({ request }) => request.key === key) ?? null;
}
