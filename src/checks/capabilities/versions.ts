import { ownProperty, ownText, showJson } from '../../json/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';

const MIN_MAJOR = 1;

export const versionSupported = defineCheck(
  'json',
  'version-supported',
  'mcpVersion is 1.0 or later',
  ({ value }) => {
    const mcpVersion = ownProperty(value, 'mcpVersion');
    const [major] = leadingVersion(ownText(value, 'mcpVersion') ?? '') ?? [];
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

export const versionsAgree = defineCheck(
  'step',
  'versions-agree',
  'mcpVersion and version are the same in health and capabilities',
  ({ used }) => {
    const health = used.health?.[0]?.value;
    const { value: capabilities, exchange } = used.capabilities?.[0] ?? {};
    const places = [
      { name: 'mcpVersion', holder: capabilities, pointer: '/mcpVersion' },
      { name: 'version', holder: ownProperty(capabilities, 'server'), pointer: '/server/version' },
    ];
    const pairs = places.flatMap(({ name, holder, pointer }) => {
      const [inHealth, inCapabilities] = [ownText(health, name), ownText(holder, name)];
      return inHealth === null || inCapabilities === null
        ? []
        : [{ name, inHealth, inCapabilities, pointer }];
    });
    if (pairs.length === 0) return inapplicable('health and capabilities do not both give a version');
    return judgeEach(pairs, ({ name, inHealth, inCapabilities, pointer }) => {
      if (sameVersion(inHealth, inCapabilities)) return passed;
      return failed({
        message: `${name} differs between health and capabilities`,
        expected: `${showJson(inHealth)} as in health`,
        received: showJson(inCapabilities),
        pointer,
        exchangeKey: exchange?.request.key,
      });
    });
  },
);

/** "1" and "1.0" are the same version; so are "v1.0" and "1.0". */
function sameVersion(left: string, right: string): boolean {
  const plain = (version: string): string =>
    version
      .trim()
      .replace(/^v(?=\d)/i, '')
      .replace(/^(\d+(?:\.\d+)*?)(?:\.0)+$/, '$1');
  return left === right || (left.length <= 64 && right.length <= 64 && plain(left) === plain(right));
}
