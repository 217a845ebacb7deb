/**
 * The calls that a process of a bench serves: by name, each with one argument that can be cloned.
 */
export type Calls = Record<string, (argument: never) => unknown>;

export interface Question {
  id: number;
  name: string;
  argument: unknown;
}

export interface Reply {
  id: number;
  value?: unknown;
  error?: string;
}
