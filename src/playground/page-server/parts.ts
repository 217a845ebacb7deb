/**
 * What the page shows, cut into named parts, so that a change sends only the parts that changed. A
 * name is a kind and identifiers, with slashes in between, such as `message/C000000001/1795.0001`.
 */
export type Parts = Map<string, unknown>;

/** The way from one set of parts to the next. */
export interface PartsUpdate {
  /** Whether all that is not in `set` is gone. */
  whole: boolean;
  set: Record<string, unknown>;
  gone: string[];
}
