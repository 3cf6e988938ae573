/** Which traces are exported. */
export interface Sampler {
  /** The share of the traces that begin here, or of all. */
  readonly ratio: number;
  /** A trace that was begun elsewhere is exported exactly if its caller exports it. */
  readonly followsParent: boolean;
}

/** What OpenTelemetry does without settings. */
export const DEFAULT_SAMPLER: Sampler = { ratio: 1, followsParent: true };

const PARENT_BASED = 'parentbased_';

/** OTEL_TRACES_SAMPLER and its argument. `report` gets what is wrong with them. Pure. */
export function samplerIn(
  environment: Readonly<Record<string, string | undefined>>,
  report: (problem: string) => void,
): Sampler {
  const given = environment.OTEL_TRACES_SAMPLER?.trim() ?? '';
  if (given === '') return DEFAULT_SAMPLER;
  const followsParent = given.startsWith(PARENT_BASED);
  switch (followsParent ? given.slice(PARENT_BASED.length) : given) {
    case 'always_on':
      return { ratio: 1, followsParent };
    case 'always_off':
      return { ratio: 0, followsParent };
    case 'traceidratio':
      return { ratio: ratioIn(environment.OTEL_TRACES_SAMPLER_ARG?.trim() ?? '', report), followsParent };
    default:
      report(
        'OTEL_TRACES_SAMPLER is not always_on, always_off or traceidratio, alone or after parentbased_. It is ignored.',
      );
      return DEFAULT_SAMPLER;
  }
}

function ratioIn(value: string, report: (problem: string) => void): number {
  const ratio = value === '' ? 1 : Number(value);
  if (ratio >= 0 && ratio <= 1) return ratio;
  report('OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1. All traces are exported.');
  return 1;
}

/** Of the random part at the end of a trace id, as many hexadecimal digits as a number holds exactly. */
const RANDOM_DIGITS = 13;

/** `isParentSampled` is null for a new trace. The same for all spans of a trace. Pure. */
export function isSampled(
  { ratio, followsParent }: Sampler,
  traceId: string,
  isParentSampled: boolean | null,
): boolean {
  if (followsParent && isParentSampled !== null) return isParentSampled;
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * 16 ** RANDOM_DIGITS;
}
