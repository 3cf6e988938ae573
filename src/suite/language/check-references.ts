import { isOfSeveral } from '../../checks/define-check.ts';
import type { RuleWire } from '../../model/requirement.ts';
import type { Assertion } from '../../model/suite.ts';
import { didYouMean } from '../yaml/diagnostic.ts';
import { isSplit, type PerWire, valueFor, WIRES } from './per-wire.ts';
import { assertionsOf } from './resolve-assertions.ts';
import type { ResolveContext } from './resolve-context.ts';
import { wiresOf } from './resolve-identity.ts';
import { type BeforeStep, type Decided, findCycle } from './step-links.ts';
import type { RawStep } from './suite-language.ts';

/** Whether a decision is there on a wire; undefined: on any. */
function isOnWire(wire: RuleWire | undefined, decided: Pick<Decided, 'wire'>): boolean {
  return wire === undefined || decided.wire === undefined || decided.wire === wire;
}

/** Reports invalid references in the assertions of a step. */
export function checkReferences(
  step: RawStep,
  assertions: readonly Assertion[],
  before: Pick<BeforeStep, 'decided' | 'decidedAnywhere'>,
  context: ResolveContext,
): void {
  for (const planned of WIRES.map((wire) => assertions.filter((one) => isOnWire(wire, one))))
    refuseCycles(planned, context);
  const { checks } = context.catalogue;
  const severalAnswers = new Set(
    assertions.filter((one) => isOfSeveral(one, checks)).map(({ requirement }) => requirement),
  );
  for (const raw of assertionsOf(step)) {
    const wires = wiresOf(raw, context);
    checkReference(raw.needs, wires, context, {
      known: [...assertions, ...before.decided],
      severalAnswers,
      mayBeElsewhere: true,
      words: (id) =>
        `\`needs: ${id}\` names no assertion of the step "${step.id.value}", nor of one that it needs or uses`,
      remedy: 'Name an assertion on the same answer.',
    });
    for (const { key, value } of raw.blockedBy ?? [])
      checkReference(value, wires, context, {
        known: before.decidedAnywhere(),
        mayBeElsewhere: true,
        words: (id) => `\`${key}: ${id}\` under \`blockedBy\` names no assertion of any step`,
        remedy: 'Name the assertion that finds what this check misses.',
      });
  }
  for (const { key: name, value: save } of step.save ?? []) {
    for (const { key, value } of save.blockedBy ?? []) {
      if (assertions.some(({ requirement }) => requirement === context.qualified(value))) continue;
      const place = save.keyPlaces.blockedBy ?? save.place;
      const message = `\`${key}: ${value}\` under \`blockedBy\` names no assertion of this step`;
      context.report(
        'unresolved-reference',
        place,
        message,
        'Name the assertion that finds what is missing.',
      );
    }
    checkReference(save.needs, isSplit(save.needs) ? WIRES : [undefined], context, {
      known: assertions,
      severalAnswers,
      mayBeElsewhere: false,
      words: (_, written) => `"${name}" needs "${written}", which this step does not decide`,
      remedy: 'Name an assertion of this step.',
    });
  }
}

/** The `needs` of an assertion may lead back to it. Other steps are decided before, so they are no part of that. */
function refuseCycles(assertions: readonly Assertion[], context: ResolveContext): void {
  const neededBy = (id: string): readonly string[] =>
    assertions.flatMap(({ requirement, needs }) => (requirement === id && needs !== null ? [needs] : []));
  for (const { requirement, where } of assertions) {
    if (findCycle(requirement, neededBy) === undefined) continue;
    const place = { line: where.line, column: where.column, length: 1 };
    const message = `the assertion "${requirement}" needs itself`;
    context.report('circular-needs', place, message, 'Remove one of these `needs`.');
  }
}

interface Expected {
  readonly known: readonly Decided[];
  /** Assertions that cannot be meant, because they are not about one answer. */
  readonly severalAnswers?: ReadonlySet<string>;
  /** A suite that is not loaded may decide it. */
  readonly mayBeElsewhere: boolean;
  readonly words: (id: string, written: string) => string;
  readonly remedy: string;
}

/** Reports a reference to an assertion that is not there, or not on one of these wires. */
function checkReference(
  given: PerWire | undefined,
  wires: readonly (RuleWire | undefined)[],
  context: ResolveContext,
  expected: Expected,
): void {
  for (const wire of wires) {
    const written = valueFor(given, wire);
    if (written === undefined) continue;
    const id = context.qualified(written.value);
    if (expected.severalAnswers?.has(id)) {
      const message = `\`needs: ${id}\` names an assertion on several answers of the step`;
      const remedy = 'Name an assertion on one answer, or move the dependent assertion to a later step.';
      context.report('wrong-value', written.place, message, remedy);
    }
    const known = expected.known.filter(({ requirement }) => requirement === id);
    // The suites of the Model Context Protocol are loaded only for its servers.
    const isElsewhere = expected.mayBeElsewhere && wire === 'mcp' && context.catalogue.registry.has(id);
    if (known.length === 0 && isElsewhere) continue;
    if (known.length === 0) {
      const ids = expected.known.map(({ requirement }) => requirement);
      const remedy = didYouMean(id, ids, expected.remedy);
      context.report('unresolved-reference', written.place, expected.words(id, written.value), remedy);
    } else if (!known.some((one) => isOnWire(wire, one))) {
      const remedy = 'Write a mapping with `rest:`, `mcp:` or both.';
      context.report('unresolved-reference', written.place, `"${id}" is not decided for ${wire}`, remedy);
    }
  }
  for (const [wire, place] of Object.entries(isSplit(given) ? given.keyPlaces : {})) {
    if (wires.some((one) => one === wire)) continue;
    const message = `"${wire}" has no effect: the assertion is not made for ${wire}`;
    context.report('unknown-key', place, message, 'Remove it.');
  }
}
