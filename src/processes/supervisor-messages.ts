export interface Launch {
  /** A line for the shell, or a program and its arguments. */
  readonly command: string | readonly [program: string, ...rest: string[]];
  /** Its environment; null: that of this process. */
  readonly env: Readonly<Record<string, string>> | null;
  /** Its working folder; null: that of this process. */
  readonly cwd: string | null;
  /** Whether its standard streams are those of the supervisor, instead of being kept as output. */
  readonly inheritsStreams: boolean;
}

export type ToSupervisor =
  | ({ readonly kind: 'start'; readonly graceMs: number } & Launch)
  | { readonly kind: 'stop' };

export type FromSupervisor =
  | ({ readonly kind: 'started' } & StartedProcesses)
  | { readonly kind: 'not-started'; readonly reason: string }
  | {
      readonly kind: 'ended';
      readonly exit: string;
      readonly output: string;
      /** No process of the command is left, and the system may reuse its ids. */
      readonly isOver: boolean;
    }
  | {
      readonly kind: 'stopped';
      readonly output: string;
      /** How the command ended before the stop was requested; null if it was still running. */
      readonly exit: string | null;
    };

/** How to recognise the processes of a started command. */
export interface StartedProcesses {
  /** Its process group; on Windows the process itself. */
  readonly groupId: number;
  /** In the environment of all of them, even those that left the group. */
  readonly mark: string;
  /** When the first of them was started; null if the system does not report it. */
  readonly since: string | null;
}
