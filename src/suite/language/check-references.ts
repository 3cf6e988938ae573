import { isOfSeveral } from '../../checks/define-check.ts';
import type { RuleWire } from '../../model/requirement.ts';
import type { Assertion } from '../../model/suite.ts';
import { didYouMean, type Place } from '../diagnostic.ts';
import { isSplit, type Members, type PerWire, valueFor, WIRES } from './per-wire.ts';
import { assertionsOf } from './resolve-assertions.ts';
import type { ResolveContext } from './resolve-context.ts';
import { qualified, wiresOf } from './resolve-identity.ts';
import type { BeforeStep, Decided } from './step-links.ts';
import type { RawStep } from './suite-language.ts';

/** Whether a decision is there on a wire; undefined: on any. */
function isOnWire(wire: RuleWire | undefined, decided: Pick<Decided, 'wire'>): boolean {
  return wire === undefined || decided.wire === undefined || decided.wire === wire;
}

/**
 * True if the `needs` of an assertion lead back to it. Other steps are decided before, so they cannot be part of a
 * cycle.
 */
function needsItself(requirement: string, assertions: readonly Assertion[]): boolean {
  const seen = new Set<string>();
  const pending = [requirement];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    for (const { needs } of assertions.filter((one) => one.requirement === id)) {
      if (needs === requirement) return true;
      if (needs === null || seen.has(needs)) continue;
      seen.add(needs);
      pending.push(needs);
    }
  }
  return false;
}

/** Reports invalid references in the assertions of a step. */
export function checkReferences(
  step: RawStep,
  assertions: readonly Assertion[],
  before: Pick<BeforeStep, 'decided' | 'decidedAnywhere'>,
  context: ResolveContext,
): void {
  for (const planned of WIRES.map((wire) => assertions.filter((one) => isOnWire(wire, one))))
    for (const { requirement, where } of planned.filter((one) => needsItself(one.requirement, planned)))
      context.report(
        'circular-needs',
        { line: where.line, column: where.column, length: 1 },
        `the assertion "${requirement}" needs itself`,
        'Remove one of these `needs`.',
      );
  const references = new References(assertions, context);
  for (const raw of assertionsOf(step)) {
    const wires = wiresOf(raw, context);
    references.check(raw.needs, wires, {
      known: [...assertions, ...before.decided],
      isOnAnswer: true,
      mayBeElsewhere: true,
      words: (id) =>
        `\`needs: ${id}\` names no assertion of the step "${step.id.value}", nor of one that it needs or uses`,
      remedy: 'Name an assertion on the same answer.',
    });
    for (const { key, value } of raw.blockedBy ?? [])
      references.check(value, wires, {
        known: before.decidedAnywhere(),
        isOnAnswer: false,
        mayBeElsewhere: true,
        words: (id) => `\`${key}: ${id}\` under \`blockedBy\` names no assertion of any step`,
        remedy: 'Name the assertion that finds what this check misses.',
      });
  }
  for (const { key: name, value: save } of step.save ?? []) {
    for (const { key, value } of save.blockedBy ?? [])
      if (!assertions.some(({ requirement }) => requirement === qualified(value, context)))
        context.report(
          'unresolved-reference',
          save.keyPlaces.blockedBy ?? save.place,
          `\`${key}: ${value}\` under \`blockedBy\` names no assertion of this step`,
          'Name the assertion that finds what is missing.',
        );
    references.check(save.needs, isSplit(save.needs) ? WIRES : [undefined], {
      known: assertions,
      isOnAnswer: true,
      mayBeElsewhere: false,
      words: (_, written) => `"${name}" needs "${written}", which this step does not decide`,
      remedy: 'Name an assertion of this step.',
    });
  }
}

interface Expected {
  readonly known: readonly Decided[];
  /** It must be decided on one answer of the step, or before the step. */
  readonly isOnAnswer: boolean;
  /** A suite that is not loaded may decide it. */
  readonly mayBeElsewhere: boolean;
  readonly words: (id: string, written: string) => string;
  readonly remedy: string;
}

/** Reports references to assertions that are not there, or not on this wire. */
class References {
  readonly #context: ResolveContext;
  readonly #ofSeveral: ReadonlySet<string>;

  constructor(assertions: readonly Assertion[], context: ResolveContext) {
    this.#context = context;
    const { checks } = context.catalogue;
    this.#ofSeveral = new Set(
      assertions.filter((one) => isOfSeveral(one, checks)).map(({ requirement }) => requirement),
    );
  }

  check(given: PerWire | undefined, wires: readonly (RuleWire | undefined)[], expected: Expected): void {
    for (const wire of wires) {
      const written = valueFor(given, wire);
      if (written === undefined) continue;
      const id = qualified(written.value, this.#context);
      if (expected.isOnAnswer) this.#refuseOfSeveral(id, written.place);
      const known = expected.known.filter(({ requirement }) => requirement === id);
      // The suites of the Model Context Protocol are loaded only for its servers.
      const isElsewhere =
        expected.mayBeElsewhere && wire === 'mcp' && this.#context.catalogue.registry.has(id);
      if (known.length === 0 && isElsewhere) continue;
      if (known.length === 0) {
        const ids = expected.known.map(({ requirement }) => requirement);
        this.#refuse(written.place, expected.words(id, written.value), didYouMean(id, ids, expected.remedy));
      } else if (!known.some((one) => isOnWire(wire, one))) {
        const problem = `"${id}" is not decided for ${wire}`;
        this.#refuse(written.place, problem, 'Write a mapping with `rest:`, `mcp:` or both.');
      }
    }
    if (isSplit(given)) this.#refuseUnused(given, wires);
  }

  #refuse(place: Place, message: string, suggestion: string): void {
    this.#context.report('unresolved-reference', place, message, suggestion);
  }

  #refuseOfSeveral(needs: string, place: Place): void {
    if (!this.#ofSeveral.has(needs)) return;
    this.#context.report(
      'wrong-value',
      place,
      `\`needs: ${needs}\` names an assertion on several answers of the step`,
      'Name an assertion on one answer, or move the dependent assertion to a later step.',
    );
  }

  #refuseUnused(given: Members, wires: readonly (RuleWire | undefined)[]): void {
    for (const [wire, place] of Object.entries(given.keyPlaces))
      if (!wires.some((one) => one === wire))
        this.#context.report(
          'unknown-key',
          place,
          `"${wire}" has no effect: the assertion is not made for ${wire}`,
          'Remove it.',
        );
  }
}
