import { listOf, text } from '../../model/arguments.ts';
import { command, duration, file, lines } from '../../model/option.ts';

/** What the commands take in addition to the options of a check. */
export const COMMAND_SETTINGS = {
  config: file({
    flag: '--config <file>',
    group: 'Target',
    shown: 'probity.config.yaml, if it exists',
    doc: 'configuration',
  }),
  suite: lines(
    { flag: '--suite <file>', group: 'Selection', doc: 'a suite of your own, in addition' },
    listOf(text),
  ),
  listing: file({
    flag: '--listing <file>',
    group: 'Target',
    doc: 'listing of the server for a directory; its requirements are decided too',
  }),
  trustedRoot: file({
    flag: '--trusted-root <file>',
    group: 'Access',
    shown: 'the public one',
    doc: 'trusted_root.json of the Sigstore instance to trust',
  }),
  wait: duration({
    flag: '--wait <seconds>',
    key: 'waitSeconds',
    group: 'Target',
    doc: 'first wait up to this long until GET /health is answered (30 with a start command)',
  }),
  start: command({
    flag: '--start <command>',
    group: 'Target',
    doc: 'start the server with this command, wait until it answers, and stop it after the check',
  }),
  baseline: file({
    flag: '--baseline <file>',
    key: 'baseline',
    group: 'Gate',
    doc: 'file of accepted findings (see `probity baseline`)',
  }),
  contract: file({
    flag: '--contract <file>',
    key: 'contract',
    group: 'Gate',
    doc: 'contract of an earlier release (see `probity contract`); what breaks its callers fails',
  }),
};
