import pLimit from 'p-limit';
import { loadSuites } from '../../src/suite/load-suites.ts';
import { checkDirectory } from '../fake-directory/check-directory.ts';
import { describeFamily, type MutantCase } from './describe-mutants.ts';
import { directoryMutants } from './directory.ts';

const AT_ONCE = 4;

const { suites, registry } = await loadSuites([], 'directory');
const limit = pLimit(AT_ONCE);
const cases = directoryMutants.map((mutant): MutantCase => {
  const check = () => limit(() => checkDirectory(mutant.directory, { suites, ...mutant.options }));
  return { mutant, form: '-', title: mutant.name, check };
});

describeFamily({ family: 'directory', cases, suites, registry, skipped: [] });
