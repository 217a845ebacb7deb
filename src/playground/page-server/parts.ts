/**
 * What the page shows, cut into named parts, so that a change sends only the parts that changed. A
 * name is a kind and identifiers, with slashes in between, such as `message/C000000001/1795.0001`.
 */
export type Parts = Map<string, unknown>;

/** The difference between two sets of parts. */
export interface PartsUpdate {
  /** Whether `set` holds all parts, so that the page drops every other one. */
  whole: boolean;
  set: Record<string, unknown>;
  gone: string[];
}
