import { isOfSeveral } from '../checks/define-check.ts';
import type { Assertion } from '../model/suite.ts';
import { didYouMean, type Place } from './diagnostic.ts';
import { assertionsOf, qualified } from './resolve-assertions.ts';
import type { ResolveContext } from './resolve-context.ts';
import type { BeforeStep } from './step-links.ts';
import type { RawStep } from './suite-language.ts';

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
  const own = new Set(assertions.map(({ requirement }) => requirement));
  for (const { requirement, where } of assertions.filter((one) => needsItself(one.requirement, assertions))) {
    context.report(
      'circular-needs',
      { line: where.line, column: where.column, length: 1 },
      `the assertion "${requirement}" needs itself`,
      'Remove one of these `needs`.',
    );
  }
  const ofSeveral = new Set(
    assertions
      .filter((assertion) => isOfSeveral(assertion, context.catalogue.checks))
      .map(({ requirement }) => requirement),
  );
  const refuseOfSeveral = (needs: string, place: Place): void => {
    if (!ofSeveral.has(needs)) return;
    context.report(
      'wrong-value',
      place,
      `\`needs: ${needs}\` names an assertion on several answers of the step`,
      'Name an assertion on one answer, or move the dependent assertion to a later step.',
    );
  };
  const refuseUnknown = (
    id: string,
    place: Place,
    known: readonly string[],
    words: string,
    remedy: string,
  ) => {
    if (!known.includes(id))
      context.report('unresolved-reference', place, words, didYouMean(id, known, remedy));
  };
  for (const { needs: written } of assertionsOf(step)) {
    if (written === undefined) continue;
    const needs = qualified(written.value, context);
    refuseOfSeveral(needs, written.place);
    refuseUnknown(
      needs,
      written.place,
      [...own, ...before.decided],
      `\`needs: ${needs}\` names no assertion of the step "${step.id.value}", nor of one that it needs or uses`,
      'Name an assertion on the same answer.',
    );
  }
  for (const { key, value } of (step.expect?.checks ?? []).flatMap(({ blockedBy = [] }) => blockedBy)) {
    const id = qualified(value.value, context);
    refuseUnknown(
      id,
      value.place,
      before.decidedAnywhere(),
      `\`${key}: ${id}\` under \`blockedBy\` names no assertion of any step`,
      'Name the assertion that finds what this check misses.',
    );
  }
  for (const { key: name, value: save } of step.save ?? []) {
    if (save.needs === undefined) continue;
    const needs = qualified(save.needs.value, context);
    refuseOfSeveral(needs, save.needs.place);
    refuseUnknown(
      needs,
      save.needs.place,
      [...own],
      `"${name}" needs "${save.needs.value}", which this step does not decide`,
      'Name an assertion of this step.',
    );
  }
}
