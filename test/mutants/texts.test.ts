import { describeMutants } from './describe-mutants.ts';

await describeMutants('texts');
