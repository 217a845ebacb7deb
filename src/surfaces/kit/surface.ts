import type { Verb } from './commands.ts';
import type { HelpLine, Listen } from './surface-context.ts';

/** One thing that people see and use, whole: what it answers to, and what help says about it. */
export interface Surface {
  /** What it does after `/files`. */
  verbs?: readonly Verb[];
  /** In the order in which help shows them. */
  help?: readonly HelpLine[];
  listens?: readonly Listen[];
}
