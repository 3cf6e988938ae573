/** Takes steps from those that an evaluation may make; throws when none are left. */
export type Spend = (steps: number) => void;
