import { ownProperty, showJson } from '../../model/json.ts';
import { failed, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';

const MIN_MAJOR = 1;

export const versionSupported = defineCheck(
  'json',
  'version-supported',
  'mcpVersion is 1.0 or later',
  ({ value }) => {
    const mcpVersion = ownProperty(value, 'mcpVersion');
    const [major] = (typeof mcpVersion === 'string' ? leadingVersion(mcpVersion) : undefined) ?? [];
    if (major !== undefined && major >= MIN_MAJOR) return passed;
    return failed({
      message:
        major === undefined
          ? 'mcpVersion does not start with a version number'
          : 'mcpVersion is older than 1.0',
      expected: 'a version of 1.0 or later, such as "1.0"',
      received: showJson(mcpVersion),
      pointer: '/mcpVersion',
    });
  },
);

/** The dotted number that a version starts with, as numbers: "v1.2.3-beta" gives [1, 2, 3]. */
export function leadingVersion(text: string): readonly number[] | undefined {
  const match = /^\s*v?(\d{1,9}(?:\.\d{1,9})*)/i.exec(text);
  return match?.[1]?.split('.').map(Number);
}
