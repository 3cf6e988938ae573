import { saysNothingOfServer } from '../checks/transport-advice.ts';
import type { EarlierCall, InputSource } from '../model/call.ts';
import { type Exchange, hadNoConnection } from '../model/exchange.ts';
import { exploredKey } from '../model/exchange-key.ts';
import { isNamedBy } from '../model/glob.ts';
import type { JsonObject } from '../model/json.ts';
import { isRateLimited } from '../model/rate-limit.ts';
import type { ExploringSettings } from '../model/report.ts';
import { withOtherInput } from './expand-calls.ts';
import type { PlannedInstance } from './expand-context.ts';
import type { InstanceRun, Skip } from './record.ts';
import type { RunInput } from './run-input.ts';
import type { InstanceRunner, StepTurn } from './run-instances.ts';

/** Exploring ends: nothing more can be learned. */
export class Ended extends Error {
  /** The call that was under way when the run was interrupted. */
  readonly interrupted: InstanceRun | null;

  constructor(interrupted: InstanceRun | null = null) {
    super();
    this.interrupted = interrupted;
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

/** Makes calls one after the other, as long as there is time and the target answers. */
export interface ExploringCalls {
  /** Why exploring ended early; null as long as it goes on. */
  readonly endedBy: string | null;
  /** Throws Ended instead of calling, or if the answer says nothing. */
  make(planned: PlannedInstance, one: ExploringInput): Promise<InstanceRun>;
  /** The requirements that fail on the call alone. */
  failed(made: InstanceRun): readonly string[];
}

export type Explored = Skip | { readonly kind: 'ran'; readonly instances: readonly InstanceRun[] };

/** The instances of the functions that the user named. */
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

/** A call that takes more of the time than this leaves nothing for others. */
const MAX_SHARE_OF_CALL = 0.1;

const NO_TIME = 'none: the time for exploring was over';

/** Callers that share the time, and of which each ends for itself. */
export function exploringCalls(
  turn: StepTurn,
  durationMs: number,
  runner: InstanceRunner,
  { clock, judgeExchange, settings, planning }: RunInput,
): () => ExploringCalls {
  const endsAtMs = clock.monotonicMs() + durationMs;
  return () => {
    let endedBy: string | null = null;
    return {
      get endedBy() {
        return endedBy;
      },
      make: async (planned, { input, source, name, caseId, after }) => {
        if (clock.monotonicMs() >= endsAtMs) endedBy ??= NO_TIME;
        if (endedBy !== null) throw new Ended();
        const key = exploredKey(planned.key, name);
        const other = withOtherInput(planned, input, source, key, settings.seed, after);
        const [made] = await runner.run(turn, [{ ...other, caseId }], () => undefined);
        if (made === undefined) throw new Ended();
        if (planning === true) return made;
        endedBy = endOf(made, durationMs);
        const interrupted = made.exchanges.some(wasInterrupted) ? made : null;
        // A slow answer still counts.
        if (endedBy !== null && made.exchanges.some(isLeftOut)) throw new Ended(interrupted);
        return made;
      },
      failed: (made) =>
        planning === true
          ? []
          : made.exchanges.flatMap((exchange) =>
              judgeExchange(turn.step, { ...made, exchange }, turn.form).failed(),
            ),
    };
  };
}

function endOf({ exchanges }: InstanceRun, durationMs: number): string | null {
  if (exchanges.some(isRateLimited)) return 'status 429: the target limits the rate';
  if (exchanges.some(hadNoConnection)) return 'none: the target no longer answers';
  const isOver = exchanges.some(
    (exchange) => isLeftOut(exchange) || exchange.timing.durationMs > durationMs * MAX_SHARE_OF_CALL,
  );
  return isOver ? NO_TIME : null;
}

/** Says nothing about the input. */
function isLeftOut(exchange: Exchange): boolean {
  if (exchange.kind === 'answered') return isRateLimited(exchange);
  return saysNothingOfServer(exchange.reason) || hadNoConnection(exchange);
}

function wasInterrupted(exchange: Exchange): boolean {
  return exchange.kind === 'unanswered' && exchange.reason.code === 'interrupted';
}
