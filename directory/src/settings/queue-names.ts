/** The queues of jobs; `directory/src/jobs/queues.ts` describes each. */
export const QUEUE_NAMES = [
  'schedule',
  'probe',
  'test',
  'audit',
  'clean-up',
  'statistics',
  'dead-letter',
] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];
