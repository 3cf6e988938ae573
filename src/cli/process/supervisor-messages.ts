export type ToSupervisor =
  | { readonly kind: 'start'; readonly command: string; readonly graceMs: number }
  | { readonly kind: 'stop' };

export type FromSupervisor =
  | ({ readonly kind: 'started' } & StartedProcesses)
  | { readonly kind: 'not-started'; readonly reason: string }
  | {
      readonly kind: 'ended';
      readonly exit: string;
      readonly output: string;
      /** No process of it is left, and the system may give its ids to others. */
      readonly isOver: boolean;
    }
  | {
      readonly kind: 'stopped';
      readonly output: string;
      /** How its command had ended by itself before it was to be stopped; null where it had not. */
      readonly exit: string | null;
    };

/** How the processes of a started command are known again. */
export interface StartedProcesses {
  /** Its process group; on Windows the process itself. */
  readonly groupId: number;
  /** In the environment of all of them, also of those that left the group. */
  readonly mark: string;
  /** When the first of them was started; null where the system does not say. */
  readonly since: string | null;
}
