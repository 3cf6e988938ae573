import pLimit from 'p-limit';
import { saysNothingOfServer } from '../../checks/transport-advice.ts';
import type { JsonObject } from '../../json/json.ts';
import type { EarlierCall, InputSource } from '../../model/call.ts';
import { exploredKey } from '../../model/exchange-key.ts';
import { isRateLimited } from '../../model/rate-limit.ts';
import type { ExploringSettings } from '../../model/report.ts';
import type { Step } from '../../model/suite.ts';
import { isNamedBy } from '../../text/glob.ts';
import { isMessage } from '../../wires/mcp/answer.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import type { StepTurn } from '../calls/run-state.ts';
import { withOtherInput } from '../calls/write-call.ts';
import type { InstanceRunner } from '../requests/run-instances.ts';
import type { InstanceRun, Skip } from '../state/record.ts';
import { failedBy, hadNoConnection } from '../state/request-outcome.ts';
import type { RunInput } from '../state/run-input.ts';

/** Exploring ends: nothing more can be learned. */
export class Ended extends Error {
  /** The call that was cut short by the end of the run, which is therefore no pass. */
  readonly cutShort: InstanceRun | null;

  constructor(cutShort: InstanceRun | null = null) {
    super();
    this.cutShort = cutShort;
  }
}

export interface ExploringInput {
  readonly input: JsonObject;
  readonly source: InputSource;
  /** Tells the calls of the function apart. */
  readonly name: string;
  readonly caseId: string | null;
  readonly after?: readonly EarlierCall[];
}

/** Makes calls, a few at once, until the run ends or the target no longer answers. */
export interface ExploringCalls {
  /** Why exploring ended early; null as long as it goes on. */
  readonly endedBy: string | null;
  /** Throws Ended instead of calling, or if the answer says nothing. */
  make(planned: PlannedInstance, one: ExploringInput): Promise<InstanceRun>;
  /** The requirements that fail on the call alone. */
  failed(made: InstanceRun): readonly string[];
  /** A single answer that the harness could not read, for example because it was suspended meanwhile. */
  saysNothing(made: InstanceRun): boolean;
}

export function wantedOf(
  instances: readonly PlannedInstance[],
  { functions }: ExploringSettings,
): readonly PlannedInstance[] | Skip {
  if (functions === undefined) return instances;
  const wanted = instances.filter(({ functionName }) => isNamedBy(functions, functionName ?? ''));
  if (wanted.length > 0) return wanted;
  return {
    kind: 'inapplicable',
    reason: `no function that may be explored is named ${functions.join(' or ')}`,
  };
}

/**
 * Callers that share the time, if it is limited, and of which each ends for itself. What they call depends on what is
 * answered, and never on how long it took.
 */
export function exploringCalls(
  turn: StepTurn,
  durationMs: number | undefined,
  runner: InstanceRunner,
  { clock, judgeExchange, settings, planning }: RunInput,
): () => ExploringCalls {
  const endsAtMs = clock.monotonicMs() + (durationMs ?? Number.POSITIVE_INFINITY);
  const limited: StepTurn = {
    ...turn,
    get endsAtMs() {
      return Math.min(turn.endsAtMs, endsAtMs);
    },
  };
  return () => {
    const limit = pLimit(settings.concurrency);
    let endedBy: string | null = null;
    return {
      get endedBy() {
        return endedBy;
      },
      make: (planned, { input, source, name, caseId, after }) =>
        limit(async () => {
          if (endedBy !== null) throw new Ended();
          const key = exploredKey(planned.key, name);
          const other = withOtherInput(planned, input, source, key, settings.seed, after);
          const [made] = await runner.run(limited, [{ ...other, caseId }], () => undefined);
          if (made === undefined) throw new Ended();
          if (planning === true) return made;
          const end = endOf(made);
          if (end === null) return made;
          endedBy ??= end;
          const isCutShort = made.exchanges.some(
            (exchange) =>
              failedBy(exchange, 'interrupted') ||
              (durationMs === undefined && failedBy(exchange, 'deadline')),
          );
          throw new Ended(isCutShort ? made : null);
        }),
      failed: (made) =>
        planning === true
          ? []
          : made.exchanges.flatMap((exchange) =>
              judgeExchange(turn.step, { ...made, exchange }, turn.form).failed(),
            ),
      // A plan lists what it does not send.
      saysNothing: ({ exchanges }) =>
        planning !== true &&
        exchanges.some((one) => one.kind === 'unanswered' && saysNothingOfServer(one.reason)),
    };
  };
}

/** A saved run that is judged again has no more calls where the original run ended. */
const ENDING = ['interrupted', 'deadline', 'not-recorded', 'run-bytes-spent', 'share-used-up'] as const;

/**
 * Why nothing more can be learned; null if it can. That a single call was not answered in time ends nothing, except for a
 * tool of the Model Context Protocol, which sets no time: each further call may take as long.
 */
function endOf({ exchanges }: InstanceRun): string | null {
  if (exchanges.some(isRateLimited)) return 'status 429: the target limits the rate';
  if (exchanges.some(hadNoConnection)) return 'none: the target no longer answers';
  if (exchanges.some((exchange) => isMessage(exchange) && failedBy(exchange, 'timeout')))
    return 'none: it takes too long';
  return exchanges.some((exchange) => failedBy(exchange, ...ENDING)) ? 'none: the time was over' : null;
}

/** Functions that may be explored, with generated inputs. */
export function explorableCalls(step: Step): Step {
  const { request, rounds } = step;
  return {
    ...step,
    request: request?.kind === 'execute' ? { ...request, arguments: { kind: 'generated' } } : request,
    rounds: { ...rounds, forEach: rounds.forEach && { ...rounds.forEach, functions: 'explorable' } },
  };
}

/** The calls of a function that a result keeps: those without a fault, and one for each fault. */
export class KeptCalls {
  readonly #calls: ExploringCalls;
  /** Calls that show no fault of a single answer. */
  readonly passing: InstanceRun[] = [];
  /** The smallest call for each requirement that fails. */
  readonly faulty: InstanceRun[] = [];
  /** Requirements for which the smallest failing input was sought. */
  readonly failed = new Set<string>();
  /** A call that lost its connection when the server ended; null if there was none. */
  lost: InstanceRun | null = null;

  constructor(calls: ExploringCalls) {
    this.#calls = calls;
  }

  all(): readonly InstanceRun[] {
    return [...this.passing, ...this.faulty];
  }

  /** Each fault of a single answer is kept once. */
  add(made: readonly InstanceRun[]): void {
    for (const one of made) {
      const failed = this.#calls.failed(one);
      if (this.#calls.saysNothing(one)) continue;
      if (failed.length === 0) this.passing.push(one);
      else if (failed.some((requirement) => !this.failed.has(requirement))) this.addFaulty(one);
      for (const requirement of failed) this.failed.add(requirement);
    }
  }

  addFaulty(one: InstanceRun): void {
    if (one.exchanges.some((exchange) => failedBy(exchange, 'closed-early', 'connection-reset')))
      this.lost ??= one;
    else this.faulty.push(one);
  }
}
