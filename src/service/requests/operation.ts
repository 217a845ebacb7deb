/** What an error needs to say about the request that failed. */
export interface Operation {
  method: 'GET' | 'POST' | 'DELETE';
  /** The path below the account address, for messages. */
  path: string;
  /** Whether doing it twice is the same as doing it once. */
  repeatable: boolean;
  /** The field that an answer of success carries, in each of its records; null when none need. */
  identifier: 'id' | 'file_id' | null;
}

/** The start of each message about a request. */
export function describeOperation({ method, path }: Operation): string {
  return `${method} ${path}`;
}

/** What is known of a request that reached the service and whose outcome the answer does not tell. */
export function sentUnlessRepeatable(operation: Operation): 'yes' | 'unknown' {
  return operation.repeatable ? 'yes' : 'unknown';
}
