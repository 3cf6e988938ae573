import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES, renderFormat } from '../../../src/check/render/render-format.ts';
import { serialiseReport } from '../../../src/report/serialise-report.ts';
import { UNREACHABLE, WHOLE } from '../../report/formats/cells.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

describe('the bundled probity render', () => {
  it.each([
    ['everything', WHOLE],
    ['an unreachable target', UNREACHABLE],
  ])('writes every format of a saved report, the same as from the sources: %s', async (_, result) => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'saved.json'), serialiseReport(result));
    const { code, stderr } = await runCommand(
      ['render', 'saved.json', '--format', FORMAT_NAMES.join(','), '--output', 'out'],
      { cwd },
    );
    expect(code, stderr).toBe(0);
    const files = (await Promise.all(FORMAT_NAMES.map((name) => renderFormat(result, name)))).flat();
    for (const { suffix, text } of files)
      expect(readFileSync(path.join(cwd, 'out', `probity${suffix}`), 'utf8')).toBe(text);
    expect(readdirSync(path.join(cwd, 'out'))).toHaveLength(files.length);
  });

  it('prints the picture of a badge, and leaves its JSON', async () => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'saved.json'), serialiseReport(WHOLE));
    const { code, stdout } = await runCommand(['render', 'saved.json', '--format', 'badge'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    expect(existsSync(path.join(cwd, 'out'))).toBe(false);
  });
});
