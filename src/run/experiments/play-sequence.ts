import { kindOf } from '../../checks/json/answers.ts';
import { valueAt } from '../../checks/json/local-reference.ts';
import type { SequenceFunction, Unmade } from '../../inputs/explore/call-sequences.ts';
import { exploringInputs } from '../../inputs/explore/exploring-inputs.ts';
import type { ObservedCall } from '../../inputs/observed-values.ts';
import { variedInput } from '../../inputs/vary-input.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty, sameJson } from '../../json/json.ts';
import type { EarlierCall, ValueOfCall } from '../../model/call.ts';
import { sequenceName } from '../../model/exchange-key.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import type { StepTurn } from '../calls/run-state.ts';
import { observe } from '../requests/call-again.ts';
import type { KnownInput } from '../state/learned.ts';
import type { InstanceRun } from '../state/record.ts';
import type { RunInput } from '../state/run-input.ts';
import type { ExploringCalls } from './exploring-calls.ts';

export interface Made {
  readonly call: Unmade;
  readonly instance: InstanceRun;
  readonly input: JsonObject;
  readonly observed: ObservedCall | null;
}

export interface Played {
  readonly made: readonly Made[];
  readonly fails: boolean;
}

/** The next call; null ends the sequence. */
export type Next = (made: readonly Made[]) => Unmade | null;

export interface Subject extends Pick<SequenceFunction, 'descriptor' | 'proven' | 'mayChange'> {
  readonly planned: PlannedInstance;
  /** Valid inputs with edges. */
  readonly edges: readonly JsonObject[];
}

const EDGES = 40;

/** For functions that take values of others: the parameters. */
export type LearnedParameters = ReadonlyMap<string, Pick<KnownInput, 'fixed'>>;

export class SequencePlayer {
  readonly #turn: StepTurn;
  readonly #calls: ExploringCalls;
  readonly #input: RunInput;
  readonly #learned: LearnedParameters;
  readonly subjects: ReadonlyMap<string, Subject>;

  constructor(
    turn: StepTurn,
    calls: ExploringCalls,
    callable: readonly PlannedInstance[],
    input: RunInput,
    learned: LearnedParameters,
  ) {
    this.#turn = turn;
    this.#calls = calls;
    this.#input = input;
    this.#learned = learned;
    this.subjects = new Map(
      callable.map((planned) => [planned.functionName ?? '', this.#subjectOf(planned)]),
    );
  }

  #subjectOf(planned: PlannedInstance): Subject {
    const descriptor = isJsonObject(planned.item) ? planned.item : {};
    const proven = planned.call?.input ?? {};
    const { settings, schemas } = this.#input;
    const wanted = { proven, first: [], seed: settings.seed, valid: EDGES, invalid: 0, listed: 0 };
    const { valid } = exploringInputs(ownProperty(descriptor, 'parameters') ?? {}, wanted, schemas);
    const mayChange = this.#turn.restraint.mayChange(planned.item);
    return { planned, descriptor, proven, mayChange, edges: [...valid] };
  }

  /** Makes the calls until one fails; those `before` were made already. */
  async play(next: Next, name: string, before: readonly Made[] = []): Promise<Played> {
    const made: Made[] = [];
    for (let call = next(made); call !== null; call = next(made)) {
      const subject = this.subjects.get(call.functionName);
      const callName = sequenceName(name, made.length + 1);
      const input = subject === undefined ? null : this.inputOf(call, subject, made, callName);
      if (subject === undefined || input === null) break;
      const after = [...before, ...made].flatMap(earlierCall);
      const one = { input, source: 'in-sequence', name: callName, caseId: name, after } as const;
      const instance = await this.#calls.make(subject.planned, one);
      const [observed = null] = observe(instance, this.#turn.restraint);
      made.push({ call, instance, input, observed });
      if (this.#calls.failed(instance).length > 0) return { made: [...before, ...made], fails: true };
    }
    return { made: [...before, ...made], fails: false };
  }

  /** Null if a value that it takes is missing, or if the declared schema does not allow the input. */
  inputOf(
    call: Unmade,
    { descriptor, planned }: Subject,
    made: readonly Made[],
    name: string,
  ): JsonObject | null {
    const { settings, schemas } = this.#input;
    const taken: [string, Json][] = [];
    for (const [parameter, value] of Object.entries(call.from)) {
      const found = takenFrom(made[value.call], value);
      if (found === undefined) return null;
      taken.push([parameter, found]);
    }
    const fixed = Object.keys(call.from);
    const own = call.isFresh
      ? variedInput(call.input, descriptor, `${settings.seed}/${name}`, schemas, fixed)
      : call.input;
    // What other steps use must not be changed by a sequence.
    const shared = (this.#learned.get(call.functionName)?.fixed ?? []).filter((one) => !fixed.includes(one));
    if (shared.some((one) => sameJson(own[one] ?? null, call.input[one] ?? null))) return null;
    const input: JsonObject = { ...own, ...Object.fromEntries(taken) };
    const schema = schemas.foreign(ownProperty(planned.item, 'parameters') ?? {});
    return schema.kind === 'usable' && schema.apply(input).kind === 'valid' ? input : null;
  }
}

function earlierCall({ call, instance }: Made): readonly EarlierCall[] {
  const [exchange] = instance.exchanges;
  return exchange === undefined ? [] : [{ functionName: call.functionName, request: exchange.request }];
}

function takenFrom(made: Made | undefined, { place, pointer }: ValueOfCall): Json | undefined {
  const whole = place === 'input' ? made?.input : made?.observed?.result;
  return whole === undefined ? undefined : valueAt(whole, pointer);
}

export function passingIn({ made, fails }: Played): readonly InstanceRun[] {
  const instances = made.map(({ instance }) => instance);
  return fails ? instances.slice(0, -1) : instances;
}

/** The same calls once more. */
export function again(calls: readonly Unmade[]): Next {
  return (made) => calls[made.length] ?? null;
}

export function callsOf({ made }: Played): readonly Unmade[] {
  return made.map(({ call }) => call);
}

export function faultOf({ made, fails }: Played): string | null {
  const last = made.at(-1)?.instance;
  return fails && last !== undefined ? faultIn(last) : null;
}

/** What is wrong with a call that fails, so that the same fault is reported once. */
export function faultIn({ functionName, exchanges: [exchange] }: InstanceRun): string {
  return `${functionName} ${exchange !== undefined && exchange.kind !== 'unanswered' ? kindOf(exchange) : 'without answer'}`;
}
